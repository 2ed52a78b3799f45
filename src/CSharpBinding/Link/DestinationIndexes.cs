using System.Diagnostics;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// Numbers that stand for destinations in one of a connection's two streams, of turns and of impulses. Each stream announces its own: so
/// a number gets its meaning in the order in which it is used. When all are given out, the one that was given out longest ago gets a new
/// meaning. Therefore the number of destinations has no limit.
/// </summary>
internal sealed class DestinationIndexes
{
    private const int Smallest = 16;
    private readonly int _first;
    private readonly int _count;
    private Destination?[] _holders = new Destination?[Smallest];
    private int _next;

    private DestinationIndexes(int first, int count) => (_first, _count) = (first, count);

    /// <summary>Those of what turns send.</summary>
    public static DestinationIndexes OfTurns() => new(Destination.SelfIndex + 1, (FrameLimits.DestinationIndexes / 2) - 1);

    /// <summary>Those of impulses.</summary>
    public static DestinationIndexes OfImpulses() => new(FrameLimits.DestinationIndexes / 2, FrameLimits.DestinationIndexes / 2);

    /// <summary>
    /// A number for a destination that has none, and the destination that had it until now: that one has none from here on.
    /// </summary>
    public int Take(Destination taker, out Destination? former)
    {
        if (_next == _count)
        {
            _next = 0;
        }
        else if (_next == _holders.Length)
        {
            Array.Resize(ref _holders, Math.Min(2 * _holders.Length, _count));
        }

        former = _holders[_next];
        _holders[_next] = taker;
        int index = _first + _next++;
        Debug.Assert(index < FrameLimits.DestinationIndexes, "More indexes than a coordinator keeps.");
        return index;
    }
}
