using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.State;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>What a link tells its destination of messages that were dropped and will never come (exactly-once.md H26).</summary>
internal sealed class GapNotice(OutputBuffer buffer)
{
    private PeerGap? _gap;

    /// <summary>Version in which Hello is said on this connection.</summary>
    public ulong Version { get; private set; } = PeerHello.CurrentVersion;

    /// <summary>
    /// Whether an answer may be agreed upon: not while what it would be about is being dropped, nor on a connection that was begun before
    /// the destination could lack something.
    /// </summary>
    public bool MayAgree => buffer.Dropping is null && (Version == PeerHello.VersionWithGaps || !MayLack);

    private bool MayLack => buffer.Dropped > buffer.Trimmed;

    /// <summary>A connection begins.</summary>
    public void Begin()
    {
        _gap = null;
        Version = MayLack ? PeerHello.VersionWithGaps : PeerHello.CurrentVersion;
    }

    /// <summary>The destination is here; returns the total after which it is sent what follows.</summary>
    public ulong Agree(Watermark durable)
    {
        ulong gap = buffer.GapAfter(durable);
        _gap = gap == 0 ? null : new PeerGap(durable.Total + 1, durable.Replayable + 1, gap);
        return durable.Total + gap;
    }

    /// <summary>Tells the destination, before the first batch.</summary>
    public async ValueTask TellAsync(PipeWriter output)
    {
        if (_gap is { } gap)
        {
            var body = new ArrayBufferWriter<byte>(32);
            gap.Write(body);
            await FrameSender.SendAsync(output, FrameKind.Gap, body.WrittenMemory);
        }
    }
}
