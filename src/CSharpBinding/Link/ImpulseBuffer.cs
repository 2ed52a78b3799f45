using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>
/// Impulses that wait to be sent, as they go over the link: each as a message of its own, behind the announcement of its destination's
/// number if that is new. Its writer's gate guards all but <see cref="WriteTaken"/>.
/// </summary>
internal sealed class ImpulseBuffer
{
    private readonly DestinationIndexes _indexes = DestinationIndexes.OfImpulses();
    private ArrayBufferWriter<byte> _waiting = new(1024);
    private ArrayBufferWriter<byte> _taken = new(1024);

    /// <summary>Appends one impulse.</summary>
    /// <param name="destination">Its destination.</param>
    /// <param name="message">Data of its type 0 message.</param>
    /// <returns>By how many bytes more wait.</returns>
    public int Append(Destination destination, ReadOnlySpan<byte> message)
    {
        int before = _waiting.WrittenCount;
        if (destination.ImpulseIndex < 0)
        {
            Announce(destination);
        }

        int index = destination.ImpulseIndex;
        int inner = Varint.SizeZigZag(message.Length + 1L) + 1 + message.Length;
        int data = Varint.Size((ulong)index) + 1 + inner;
        Span<byte> span = _waiting.GetSpan(Varint.MaxSize32 + 1 + data);
        int at = Varint.WriteZigZag(span, data + 1);
        span[at++] = (byte)BindingMessageType.Impulses;
        at += Varint.Write(span[at..], (ulong)index);
        span[at++] = 1;
        at += Varint.WriteZigZag(span[at..], message.Length + 1);
        span[at++] = (byte)BindingMessageType.Rpc;
        message.CopyTo(span[at..]);
        _waiting.Advance(at + message.Length);
        return _waiting.WrittenCount - before;
    }

    /// <summary>Takes what waits, to be sent; what was taken before has been written.</summary>
    /// <returns>True if there is any.</returns>
    public bool Take()
    {
        (_waiting, _taken) = (_taken, _waiting);
        return _taken.WrittenCount > 0;
    }

    /// <summary>Writes what was taken. For the one that sends.</summary>
    /// <returns>How many bytes that were.</returns>
    public int WriteTaken(PipeWriter output)
    {
        int bytes = _taken.WrittenCount;
        if (bytes > 0)
        {
            output.Write(_taken.WrittenSpan);
            _taken.ResetWrittenCount();
        }

        return bytes;
    }

    // Among the impulses, so that the number has its new meaning from here on and not before.
    private void Announce(Destination destination)
    {
        int index = _indexes.Take(destination, out Destination? former);
        if (former is not null)
        {
            former.ImpulseIndex = Destination.NoIndex;
        }

        Span<byte> data = stackalloc byte[Destination.LargestAnnouncement];
        int length = destination.WriteAnnouncement(data, index);
        Span<byte> span = _waiting.GetSpan(Varint.MaxSize32 + 1 + length);
        int size = Varint.WriteZigZag(span, length + 1);
        span[size++] = (byte)BindingMessageType.Destination;
        data[..length].CopyTo(span[size..]);
        _waiting.Advance(size + length);
        destination.ImpulseIndex = index;
    }
}
