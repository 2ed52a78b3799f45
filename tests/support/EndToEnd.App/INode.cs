using Ambrosia;

namespace EndToEnd;

/// <summary>What the end-to-end tests ask of an immortal. Every message between nodes carries its sender and its number on that
/// connection.</summary>
[ImmortalInterface]
public interface INode
{
    /// <summary>A request from outside; the answer is the request's check value.</summary>
    [Impulse]
    long Submit(string id, WorkKind kind, string peer, int size);

    /// <summary>What this node has seen.</summary>
    [Impulse]
    [Query]
    NodeReport Report();

    /// <summary>Grows the state by this many bytes in blocks of a megabyte.</summary>
    [Impulse]
    long Grow(int megabytes);

    /// <summary>Asks for a checkpoint.</summary>
    [Impulse]
    void Save();

    /// <summary>Sends messages to a peer for as long as asked; each comes back.</summary>
    [Impulse]
    void Flood(string peer, int messages, int size);

    /// <summary>Sends messages to a peer without waiting for anything; returns how many were sent to it in all.</summary>
    [Impulse]
    long Pour(string peer, int messages, int size);

    /// <summary>Charges these customers, once however often it is asked.</summary>
    [Impulse]
    void Charges(int first, int count);

    void Charge(int customer);

    /// <summary>An impulse from another node's outside; numbered within the life of the process that sends it.</summary>
    [Impulse]
    void Tell(string from, long number);

    void Step(string from, long number, string id, string effect);

    long Add(string from, long number, string id, string effect, long value);

    long Relay(string from, long number, string id, string effect, int depth);

    long Fail(string from, long number, string id, string effect);

    long Blob(string from, long number, string id, string effect, byte[] bytes);

    void Wave(string from, long number, int left, byte[] bytes);

    long Echo(string from, long number, long value);

    /// <summary>Ends the process, or never ends, unless it is immune.</summary>
    long Die(string id, string effect, int how);

    long Later(string id, string effect, long value);
}
