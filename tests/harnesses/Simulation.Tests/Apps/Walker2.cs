namespace Ambrosia.Simulation.Tests;

/// <summary>The next version of <see cref="Walker"/>: it does and sends the same, and counts in another way.</summary>
public sealed class Walker2 : Walker
{
    private long _turnsSince;

    protected override int Version => 2;

    protected override ulong Counted(ulong id) => Bits.Mix(id, (ulong)++_turnsSince);
}
