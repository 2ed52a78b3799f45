using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Bench;

/// <summary>The coordinator's end of an in-memory link: sends records, counts what comes back until the last of them is done.</summary>
internal sealed class InMemoryPeer
{
    private readonly Pipe _down = NewPipe();
    private readonly Pipe _up = NewPipe();
    private Task<string> _app = Task.FromResult("");
    private ulong _lsn;

    public long BytesBack { get; private set; }

    public async Task AttachAsync(Immortal immortal, double traceRatio = 1)
    {
        var host = new ImmortalHost(() => immortal, new ImmortalOptions { InstanceName = "relay", TraceRatio = traceRatio });
        _app = host.RunAsync(new Link(_down.Reader, _up.Writer), CancellationToken.None);
        var welcome = new ArrayBufferWriter<byte>();
        new BindingWelcome(2, 0, BindingMode.FirstStart, 1, Guid.Empty, "relay", 64 << 20, 64 << 20).Write(welcome);
        await SendAsync(BindingMessageType.Welcome, welcome.WrittenMemory);
        await SendAsync(BindingMessageType.TakeBecomingPrimaryCheckpoint, default);
        await SendAsync(BindingMessageType.BecomingPrimary, default);
    }

    /// <summary>Sends <paramref name="records"/> times the payload and waits until all is executed.</summary>
    public async Task RunAsync(byte[] payload, int count, int records)
    {
        ulong last = _lsn + (ulong)records;
        Task back = DrainAsync(last);
        for (int i = 0; i < records; i++)
        {
            byte[] info = new byte[RecordInfo.MaxSize];
            int size = new RecordInfo(++_lsn, 1, DateTime.UnixEpoch.Ticks, count, payload.Length, 0).Write(info);
            await SendAsync(BindingMessageType.RecordInfo, info.AsMemory(0, size));
            await _down.Writer.WriteAsync(payload);
        }

        await back;
    }

    public async Task DetachAsync()
    {
        await SendAsync(BindingMessageType.Drain, new byte[] { 0 });
        await _app;
    }

    public async Task SendAsync(BindingMessageType type, ReadOnlyMemory<byte> data)
    {
        Memory<byte> memory = _down.Writer.GetMemory(data.Length + 8);
        int size = Varint.WriteZigZag(memory.Span, data.Length + 1);
        memory.Span[size++] = (byte)type;
        data.Span.CopyTo(memory.Span[size..]);
        _down.Writer.Advance(size + data.Length);
        await _down.Writer.FlushAsync();
    }

    // Only the progress marks are looked for; the rest is counted by its size.
    private async Task DrainAsync(ulong last)
    {
        while (true)
        {
            ReadResult result = await _up.Reader.ReadAsync();
            ReadOnlySequence<byte> buffer = result.Buffer;
            bool done = false;
            while (!done && Skip(ref buffer, last, ref done))
            {
            }

            _up.Reader.AdvanceTo(buffer.Start, buffer.End);
            if (done)
            {
                return;
            }
        }
    }

    private bool Skip(ref ReadOnlySequence<byte> buffer, ulong last, ref bool done)
    {
        Span<byte> head = stackalloc byte[40];
        head = head[..(int)Math.Min(head.Length, buffer.Length)];
        buffer.Slice(0, head.Length).CopyTo(head);
        if (!Varint.TryReadZigZag(head, out long size, out int prefix) || buffer.Length < prefix + size)
        {
            return false;
        }

        long whole = prefix + size;
        var type = (BindingMessageType)head[prefix];
        if (type == BindingMessageType.Checkpoint)
        {
            Varint.TryReadZigZag(head[(prefix + 1)..], out long content, out _);
            whole += content;
            if (buffer.Length < whole)
            {
                return false;
            }
        }
        else if (type == BindingMessageType.Progress)
        {
            Progress progress = Progress.Read(head.Slice(prefix + 1, (int)size - 1));
            done = progress.Lsn == last && progress.RecordComplete;
        }

        BytesBack += whole;
        buffer = buffer.Slice(whole);
        return true;
    }

    private static Pipe NewPipe() => new(new PipeOptions(minimumSegmentSize: 256 * 1024, pauseWriterThreshold: 8 << 20,
        resumeWriterThreshold: 4 << 20, useSynchronizationContext: false));

    private sealed record Link(PipeReader Input, PipeWriter Output) : IDuplexPipe;
}
