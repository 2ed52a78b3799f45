using Ambrosia.CoordinatorHost.Jwt;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Keys that the test holds.</summary>
internal sealed class FakeKeySource(string? set) : IJwtKeySource
{
    /// <summary>What is found when newer ones are looked for.</summary>
    public string? Next { get; set; }

    public int Renewals { get; private set; }

    public bool IsOld { get; set; }

    public JwtKeys? Current { get; set; } = set is null ? null : JwtKeys.Parse(set);

    public Task RenewAsync(CancellationToken stop)
    {
        Renewals++;
        IsOld = false;
        Current = Next is { } next ? JwtKeys.Parse(next) : Current;
        return Task.CompletedTask;
    }

    public void Dispose()
    {
    }
}
