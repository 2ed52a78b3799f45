using Ambrosia.Upgrading;

namespace Ambrosia.Simulation.Tests;

/// <summary>What an app knows of versions: each knows both and how one becomes the other, as a new binary does; or it is an old one, which
/// knows its own alone.</summary>
/// <param name="Goal">The version that it is to become.</param>
/// <param name="Replaces">Whether it is to replace the app that serves; else it serves as the version that it finds.</param>
/// <param name="Fails">Whether its conversion throws.</param>
/// <param name="IsOld">Whether it is a binary that has never heard of another version.</param>
internal sealed record WalkerVersions(int Goal, bool Replaces = false, bool Fails = false, bool IsOld = false)
{
    /// <summary>One that serves as what it finds.</summary>
    public static WalkerVersions AsFound { get; } = new(1);

    public Walker Create(WalkerHost host) => Goal == 1 ? Walker.Of<Walker>(host) : Walker.Of<Walker2>(host);

    public UpgradeSettings? Settings(WalkerHost host) => IsOld ? null : new(
        [
            new Conversion(typeof(Walker), typeof(Walker2), _ => Walker.Of<Walker>(host), (old, _) => Convert<Walker2>(old, host, 2)),
            new Conversion(typeof(Walker2), typeof(Walker), _ => Walker.Of<Walker2>(host), (old, _) => Convert<Walker>(old, host, 1)),
        ], () => Create(host), Replaces, Ambrosia.Runtime.NoServices.Instance);

    private T Convert<T>(Immortal old, WalkerHost host, int version)
        where T : Walker, new()
    {
        if (Fails)
        {
            throw new InvalidOperationException("This conversion was to fail.");
        }

        host.Life.BecomesVersion(version);
        return ((Walker)old).As<T>();
    }
}
