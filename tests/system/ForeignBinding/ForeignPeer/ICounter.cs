namespace Ambrosia.ForeignPeer;

/// <summary>What counter.py answers to, and what the ledger answers to as well. The numbers are the only thing that both sides
/// share.</summary>
[ImmortalInterface]
public interface ICounter
{
    /// <summary>Adds to the total and returns it.</summary>
    [MethodId(1)]
    long Add(long amount);

    /// <summary>Called with 1, 2, 3, ... by one sender: a gap, a repeat or a swap shows.</summary>
    [MethodId(2)]
    void Note(long number);

    /// <summary>Always fails.</summary>
    [MethodId(3)]
    void Fail();

    /// <summary>Adds at a third instance and returns what that one returned.</summary>
    [MethodId(6)]
    long Relay(string peer, long amount);

    /// <summary>What the caller found when it was through.</summary>
    [MethodId(8)]
    void Result(long calls, long wrong, long relayed, string failure);
}
