using System.Buffers;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>
/// What a receiver must have accepted of a hostile sender, by the rules of docs/internals/protocol.md section 9.2: a second implementation
/// of them, which reads the whole stream at once.
/// </summary>
internal sealed class PeerModel
{
    /// <summary>Nothing honest counts so far, and nothing that adds to it overflows.</summary>
    private const ulong LargestNumber = long.MaxValue;

    private readonly Dictionary<string, (Guid Id, ulong Epoch, Watermark Accepted)> _senders = [];

    /// <summary>Why the stream was left, for the counts.</summary>
    public string Verdict { get; private set; } = "";

    /// <summary>Messages accepted of all senders.</summary>
    public long Accepted { get; private set; }

    public (Guid Id, ulong Epoch, Watermark Accepted) Of(string name) => _senders.GetValueOrDefault(name);

    /// <summary>Reads a data connection from its first byte.</summary>
    public void Read(byte[] stream, int largestFrame, int largestMessage)
    {
        try
        {
            var rest = new ReadOnlySequence<byte>(stream);
            Verdict = "cut before the Hello was complete";
            if (!FrameReader.TryRead(ref rest, FrameLimits.SmallBody, out FrameHeader header, out ReadOnlySequence<byte> body))
            {
                return;
            }

            if (header.Kind != FrameKind.Hello)
            {
                Verdict = "another frame before Hello";
                return;
            }

            PeerHello hello = PeerHello.Read(body.ToArray());
            if (Refusal(hello) is { } refusal)
            {
                Verdict = refusal;
                return;
            }

            Verdict = "read to its end";
            ReadBatches(rest, hello, largestFrame, largestMessage);
        }
        catch (ProtocolException error)
        {
            Verdict = $"refused: {error.Rule}";
        }
    }

    private string? Refusal(PeerHello hello)
    {
        if (hello.Version != 1 || hello.Cluster != "default" || hello.To != "bank" || hello.From == "bank" || hello.ToId != Guid.Empty)
        {
            return "Hello to somebody else";
        }

        if (hello.Channel == PeerChannel.Control)
        {
            return "control without data";
        }

        (Guid id, ulong epoch, _) = Of(hello.From);
        return id != Guid.Empty && id != hello.FromId ? "unknown identity" : hello.Epoch < epoch ? "fenced epoch" : null;
    }

    private void ReadBatches(ReadOnlySequence<byte> rest, PeerHello hello, int largestFrame, int largestMessage)
    {
        (_, ulong epoch, Watermark accepted) = Of(hello.From);
        epoch = Math.Max(epoch, hello.Epoch);
        _senders[hello.From] = (hello.FromId, epoch, accepted);
        try
        {
            while (FrameReader.TryRead(ref rest, largestFrame, out FrameHeader header, out ReadOnlySequence<byte> body))
            {
                if (header.Kind == FrameKind.Goodbye)
                {
                    PeerGoodbye.Read(body.ToArray());
                    Verdict = "said goodbye";
                    return;
                }

                if (header.Kind != FrameKind.Batch)
                {
                    Verdict = $"{header.Kind} on data";
                    return;
                }

                BatchHeader batch = BatchHeader.Read(body, out ReadOnlySequence<byte> messages);
                ulong behind = accepted == Watermark.None && batch.FirstReplayable is > 0 and <= LargestNumber ? batch.FirstReplayable - 1
                    : 0;
                (int count, int replayable) = MessageScanner.Count(messages.ToArray(), largestMessage, RunOrigin.Foreign, out _);
                if (batch.FirstTotal > LargestNumber || batch.FirstTotal != accepted.Total + behind + 1
                    || batch.FirstReplayable != accepted.Replayable + behind + 1 || count != batch.Count
                    || replayable != batch.ReplayableCount)
                {
                    Verdict = "numbers that do not follow";
                    return;
                }

                if (count > 0)
                {
                    accepted = new Watermark(accepted.Total + behind + (ulong)count, accepted.Replayable + behind + (ulong)replayable,
                        hello.Epoch);
                    Accepted += count;
                    _senders[hello.From] = (hello.FromId, epoch, accepted);
                }
            }

            Verdict = rest.IsEmpty ? "read to its end" : "cut inside a frame";
        }
        catch (ProtocolException error)
        {
            Verdict = $"refused: {error.Rule}";
        }
    }
}
