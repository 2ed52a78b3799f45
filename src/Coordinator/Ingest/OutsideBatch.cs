using System.Buffers;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Calls from outside that go into a page together: their messages in delivery form, and what the record says of those with a key.
/// </summary>
internal sealed class OutsideBatch
{
    // So many calls at most wait for one reservation, and about so many bytes: as for a batch of a peer.
    private const int MostCalls = 1024, MostBytes = 64 * 1024;
    private readonly ArrayBufferWriter<byte> _messages = new();
    private readonly ArrayBufferWriter<byte> _head = new();

    /// <summary>How many calls.</summary>
    public int Count { get; private set; }

    /// <summary>Number of the last one.</summary>
    public ulong Last { get; private set; }

    /// <summary>Their messages.</summary>
    public ReadOnlyMemory<byte> Messages => _messages.WrittenMemory;

    /// <summary>What the record says of those with a key, by their place in the batch.</summary>
    public OutsideMarks Marks { get; } = new();

    /// <summary>Nothing more goes into it.</summary>
    public bool IsFull => Count >= MostCalls || _messages.WrittenCount >= MostBytes;

    /// <summary>Bytes of the message that a call becomes, at most.</summary>
    public static long SizeOf(OutsideSubmission call) =>
        RpcHeader.LargestCall + OutsideNames.Caller.Length + (3 * Varint.MaxSize64) + call.Arguments.Length;

    /// <summary>Adds the message of the call that has this number: an async call whose caller is the outside.</summary>
    public void Add(ulong number, OutsideSubmission call)
    {
        _head.ResetWrittenCount();
        _head.Advance(RpcHeader.WriteCall(_head.GetSpan(RpcHeader.LargestCall), call.Method, RpcKind.Async));
        var head = new ByteWriter(_head);
        head.WriteZigZag(InstanceName.OutsideBytes.Length);
        head.WriteBytes(InstanceName.OutsideBytes);
        head.WriteZigZag((long)number);
        var writer = new ByteWriter(_messages);
        writer.WriteZigZag(1 + _head.WrittenCount + call.Arguments.Length);
        writer.WriteByte((byte)BindingMessageType.Rpc);
        writer.WriteBytes(_head.WrittenSpan);
        writer.WriteBytes(call.Arguments.Span);
        (Count, Last) = (Count + 1, number);
    }
}
