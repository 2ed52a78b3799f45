using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Runtime;

/// <summary>
/// Callers that wait for impulses that this process sent to its own immortal. A 16-byte token behind the arguments (incarnation,
/// number) finds the waiter; one of another incarnation belongs to nobody here.
/// </summary>
internal sealed class ImpulseWaiters(ulong incarnation)
{
    /// <summary>Bytes of a token.</summary>
    public const int TokenSize = 16;

    private readonly ConcurrentDictionary<ulong, ImpulseWaiter> _waiting = new();
    private ulong _next;
    private volatile bool _closed;

    /// <summary>Adds a waiter and writes its token.</summary>
    public ulong Add(ImpulseWaiter waiter, Span<byte> token)
    {
        ulong number = Interlocked.Increment(ref _next);
        _waiting[number] = waiter;
        BinaryPrimitives.WriteUInt64LittleEndian(token, incarnation);
        BinaryPrimitives.WriteUInt64LittleEndian(token[8..], number);
        if (_closed)
        {
            FailAll();
        }

        return number;
    }

    /// <summary>Takes back a waiter whose impulse could not be sent.</summary>
    public void Remove(ulong number) => _waiting.TryRemove(number, out _);

    /// <summary>
    /// What stands in a token; zeros if it is none. The same for each process that executes the message, so that it may be part of the
    /// state.
    /// </summary>
    public static (ulong Incarnation, long Number) Read(ReadOnlySpan<byte> token) => token.Length == TokenSize
        ? (BinaryPrimitives.ReadUInt64LittleEndian(token), BinaryPrimitives.ReadInt64LittleEndian(token[8..]))
        : default;

    /// <summary>Takes out the waiter with this number; there is none if it was given out by another incarnation.</summary>
    public bool TryTake(ulong ofIncarnation, long number, [NotNullWhen(true)] out ImpulseWaiter? waiter)
    {
        waiter = null;
        return ofIncarnation == incarnation && _waiting.TryRemove((ulong)number, out waiter);
    }

    /// <summary>The waiter with this number, which goes on waiting; null if there is none.</summary>
    public ImpulseWaiter? Find(ulong ofIncarnation, long number) =>
        ofIncarnation == incarnation ? _waiting.GetValueOrDefault((ulong)number) : null;

    /// <summary>The connection has ended: nobody will ever learn the outcome here.</summary>
    public void Close()
    {
        _closed = true;
        FailAll();
    }

    private void FailAll()
    {
        foreach (ulong number in _waiting.Keys)
        {
            if (_waiting.TryRemove(number, out ImpulseWaiter? waiter))
            {
                waiter.Fail(new ImpulseOutcomeUnknownException());
            }
        }
    }
}
