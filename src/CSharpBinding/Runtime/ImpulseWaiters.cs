using System.Buffers.Binary;
using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace Ambrosia.Runtime;

/// <summary>
/// Those who wait for impulses that this process sent to its own immortal. A 16-byte token behind the arguments (incarnation,
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

    /// <summary>The number inside a token, or 0 if it is of another incarnation.</summary>
    public ulong NumberOf(ReadOnlySpan<byte> token) =>
        token.Length == TokenSize && BinaryPrimitives.ReadUInt64LittleEndian(token) == incarnation
            ? BinaryPrimitives.ReadUInt64LittleEndian(token[8..])
            : 0;

    /// <summary>True for a number that this incarnation gave out: one saved in a checkpoint may be of an earlier one.</summary>
    public bool IsOwn(ulong savedIncarnation) => savedIncarnation == incarnation;

    /// <summary>This incarnation.</summary>
    public ulong Incarnation => incarnation;

    /// <summary>Takes out the waiter with this number.</summary>
    public bool TryTake(ulong number, [NotNullWhen(true)] out ImpulseWaiter? waiter) => _waiting.TryRemove(number, out waiter);

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
