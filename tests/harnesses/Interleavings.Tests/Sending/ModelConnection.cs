using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>A connection of the real sender to a model of its receiver. What either sends lies on the way until the schedule lets it
/// arrive.</summary>
internal sealed class ModelConnection(ModelReceiver receiver) : IConnection
{
    private static readonly PipeOptions s_options = new(readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline,
        pauseWriterThreshold: 0, useSynchronizationContext: true);
    private readonly Pipe _toReceiver = new(s_options);
    private readonly Pipe _toSender = new(s_options);
    private readonly Queue<byte[]> _onTheWay = new();

    public ModelReceiver Receiver => receiver;

    public PipeReader Input => _toSender.Reader;

    public PipeWriter Output => _toReceiver.Writer;

    public string Peer => "model";

    public PeerHello? Hello { get; set; }

    public bool Open { get; private set; } = true;

    /// <summary>A Hello was read on it and not answered yet.</summary>
    public bool AwaitsAnswer { get; set; }

    /// <summary>What was last said of the input on this connection.</summary>
    public Watermark? Said { get; set; }

    public bool HasFramesForSender => Open && _onTheWay.Count > 0;

    public bool HasBytesForReceiver
    {
        get
        {
            if (!Open || !_toReceiver.Reader.TryRead(out ReadResult result))
            {
                return false;
            }

            bool any = result.Buffer.Length > 0;
            _toReceiver.Reader.AdvanceTo(result.Buffer.Start);
            return any;
        }
    }

    public void Abort()
    {
        if (Open)
        {
            Open = false;
            _toSender.Writer.Complete();
            _toReceiver.Reader.Complete();
        }
    }

    public ValueTask DisposeAsync()
    {
        Abort();
        return default;
    }

    public void Send(FrameKind kind, Action<IBufferWriter<byte>> write)
    {
        var body = new ArrayBufferWriter<byte>();
        write(body);
        byte[] frame = new byte[FrameHeader.Size + body.WrittenCount];
        body.WrittenSpan.CopyTo(frame.AsSpan(FrameHeader.Size));
        FrameHeader.Write(frame, kind, body.WrittenSpan);
        _onTheWay.Enqueue(frame);
    }

    /// <summary>The oldest frame on the way to the sender arrives.</summary>
    public void Deliver()
    {
        byte[] frame = _onTheWay.Dequeue();
        _toSender.Writer.Write(frame);
        // A pipe without a limit takes everything at once.
        _ = _toSender.Writer.FlushAsync().AsTask();
    }

    /// <summary>The receiver reads one frame.</summary>
    public (FrameKind Kind, byte[] Body)? Read()
    {
        if (!_toReceiver.Reader.TryRead(out ReadResult result))
        {
            return null;
        }

        ReadOnlySequence<byte> buffer = result.Buffer;
        if (!FrameReader.TryRead(ref buffer, 1 << 24, out FrameHeader header, out ReadOnlySequence<byte> body))
        {
            _toReceiver.Reader.AdvanceTo(result.Buffer.Start);
            return null;
        }

        byte[] copy = body.ToArray();
        _toReceiver.Reader.AdvanceTo(buffer.Start);
        return (header.Kind, copy);
    }
}
