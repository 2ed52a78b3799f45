namespace Ambrosia.InProcess.Tests.Schedules;

/// <summary>The version after <see cref="Nightly"/>.</summary>
public sealed class NextNightly : Nightly
{
    public NextNightly()
    {
    }

    public NextNightly(Nightly older) => Seen.AddRange(older.Seen.Select(static seen => seen + " old"));
}
