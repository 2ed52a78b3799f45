using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>
/// One sender's pair of connections as the receiver sees it: batches come in on data, trims go out on control. Closed by a newer
/// connection of the same sender before that one is answered (exactly-once.md H1, H9); frames of a closed link are dropped unread.
/// </summary>
internal sealed class PeerInputLink(InputState input, IConnection data, PeerHello hello, PeerSettings settings) : IInputLink
{
    /// <summary>
    /// The first batch ever may begin anywhere. From here on numbers that are added to it could overflow; no honest sender gets that far.
    /// </summary>
    private const ulong LargestNumber = long.MaxValue;

    // From here on it costs less to derive the messages' checksum from that of their frame than to read them again.
    private const int WorthDeriving = 32 * 1024;

    private WakeSignal _controlWork = new();
    private InputPipeline? _pipeline;
    private IConnection? _control;
    private bool _trimDue;
    private bool _heartbeatDue;

    public InputState Input => input;

    public ulong Epoch => hello.Epoch;

    public ulong Generation => hello.Generation;

    public bool Open { get; private set; } = true;

    public bool HasControl => _control is not null;

    /// <summary>Time stamp of the last sign of life, by the injected clock.</summary>
    public long LastHeard { get; private set; } = settings.Time.GetTimestamp();

    public void Close()
    {
        if (Open)
        {
            Open = false;
            data.Abort();
            _control?.Abort();
            _controlWork.Set();
            _pipeline?.SourceEnded();
        }
    }

    /// <summary>The input's durable watermark moved: say so soon.</summary>
    public void OfferTrim()
    {
        _trimDue = true;
        _controlWork.Set();
    }

    public void OfferHeartbeat()
    {
        _heartbeatDue = true;
        _controlWork.Set();
    }

    /// <summary>Answers the Hello and receives batches until the connection ends or is replaced.</summary>
    public async Task ReceiveAsync(InputPipeline pipeline)
    {
        _pipeline = pipeline;
        if (!await FrameSender.SendAsync(data.Output, FrameKind.Answer, Compose()))
        {
            return;
        }

        while (Open)
        {
            ReadResult result = await data.Input.ReadAsync();
            ReadOnlySequence<byte> buffer = result.Buffer;
            while (Open && FrameReader.TryRead(ref buffer, settings.MaxFrameBytes, out FrameHeader header, out ReadOnlySequence<byte> body))
            {
                LastHeard = settings.Time.GetTimestamp();
                await TakeAsync(header, body, pipeline);
            }

            data.Input.AdvanceTo(buffer.Start, buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    /// <summary>Serves the control connection: trims and heartbeats out, heartbeats in.</summary>
    public async Task ServeControlAsync(IConnection control)
    {
        _control?.Abort();
        _control = control;
        _trimDue = true;
        // One for each connection, as one loop can wait for it: that of the former one is woken, and ends.
        WakeSignal work = new(), former = _controlWork;
        _controlWork = work;
        former.Set();
        Task listening = ListenAsync(control);
        while (Open && _control == control)
        {
            if (_trimDue)
            {
                _trimDue = false;
                _heartbeatDue = false;
                Failpoint.Pass("K8");
                if (!await FrameSender.SendAsync(control.Output, FrameKind.Trim, Compose()))
                {
                    break;
                }

                Failpoint.Pass("K9");
            }
            else if (_heartbeatDue)
            {
                _heartbeatDue = false;
                if (!await FrameSender.SendAsync(control.Output, FrameKind.Heartbeat, ReadOnlyMemory<byte>.Empty))
                {
                    break;
                }
            }
            else
            {
                await work.WaitAsync();
            }
        }

        control.Abort();
        await listening;
    }

    private async Task ListenAsync(IConnection control)
    {
        try
        {
            while (await FrameSender.ReadSmallAsync(control.Input, CancellationToken.None) is { } frame)
            {
                if (frame.Kind != FrameKind.Heartbeat)
                {
                    throw new ProtocolException($"{frame.Kind} on a control connection, from the sender", 0);
                }

                LastHeard = settings.Time.GetTimestamp();
            }
        }
        catch (ProtocolException error)
        {
            CoreLog.PeerOffended(settings.Logger, input.Name, control.Peer, error.Message);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            if (Open)
            {
                CoreLog.InputLost(settings.Logger, input.Name, error.Message); // The sender comes back.
            }
        }
        finally
        {
            // Without its control connection a sender could not trim: the pair lives and dies together.
            Close();
        }
    }

    private bool IsOpen() => Open;

    private byte[] Compose()
    {
        var body = new ArrayBufferWriter<byte>(64);
        new PeerAnswer(input.Durable, settings.Epoch, settings.InstanceId).Write(body);
        return body.WrittenSpan.ToArray();
    }

    /// <summary>
    /// Messages that the sender has dropped will never come. That this is accepted is logged like a message, in the watermark of the next
    /// record, before anything that follows: nobody can tell later that they were skipped without a trace (exactly-once.md H26).
    /// </summary>
    private async ValueTask TakeAsync(PeerGap gap, InputPipeline pipeline)
    {
        if (gap.FirstTotal > LargestNumber || gap.FirstReplayable > LargestNumber || gap.Count > LargestNumber)
        {
            throw new ProtocolException(
                $"gap of {gap.Count} at {gap.FirstTotal}/{gap.FirstReplayable}; nothing is numbered above {LargestNumber}", 0);
        }

        if (!input.IsDrained)
        {
            // No sender of ours says it then. The next record would tell of the gap, and messages before it may be in the one after that.
            CoreLog.InputDrains(settings.Logger, input.Name, input.Accepted.ToString(), input.Durable.ToString());
            await input.WaitUntilDrainedAsync();
            if (!Open)
            {
                return;
            }
        }

        ulong retired = RequireNext("gap", gap.FirstTotal, gap.FirstReplayable);
        pipeline.AppendGap(input, gap.Count, hello.Epoch, retired);
        CoreLog.GapAccepted(settings.Logger, input.Name, gap.FirstReplayable, gap.FirstReplayable + gap.Count - 1, gap.Count);
    }

    /// <summary>Both numbers must follow what was accepted (exactly-once.md H12); returns how many went to a predecessor.</summary>
    private ulong RequireNext(string what, ulong firstTotal, ulong firstReplayable)
    {
        Watermark accepted = input.Accepted;
        // What a predecessor of this instance, erased since, has confirmed is not sent again: the first batch ever may begin later
        // (docs/internals/exactly-once.md H16).
        ulong retired = accepted == Watermark.None && firstReplayable > 0 ? firstReplayable - 1 : 0;
        return firstTotal == accepted.Total + retired + 1 && firstReplayable == accepted.Replayable + retired + 1
            ? retired
            : throw new ProtocolException(
                $"{what} starts at {firstTotal}/{firstReplayable}, expected {accepted.Total + 1}/{accepted.Replayable + 1}", 0);
    }

    private async ValueTask TakeAsync(FrameHeader header, ReadOnlySequence<byte> body, InputPipeline pipeline)
    {
        if (header.Kind == FrameKind.Goodbye)
        {
            PeerGoodbye goodbye = PeerGoodbye.Read(body.ToArray());
            CoreLog.PeerAccuses(settings.Logger, input.Name, goodbye.Reason);
            Close();
            return;
        }

        if (header.Kind == FrameKind.Gap && hello.Version >= PeerHello.VersionWithGaps)
        {
            await TakeAsync(PeerGap.Read(body.ToArray()), pipeline);
            return;
        }

        if (header.Kind != FrameKind.Batch)
        {
            throw new ProtocolException($"{header.Kind} on a data connection, from the sender", 0);
        }

        BatchHeader batch = BatchHeader.Read(body, out ReadOnlySequence<byte> messages);
        if (batch.FirstTotal > LargestNumber || batch.FirstReplayable > LargestNumber)
        {
            throw new ProtocolException(
                $"batch starts at {batch.FirstTotal}/{batch.FirstReplayable}; nothing is numbered above {LargestNumber}", 0);
        }

        ulong retired = RequireNext("batch", batch.FirstTotal, batch.FirstReplayable);

        // A sender may have a higher limit than this app was promised: what the app would refuse must not be logged.
        (int count, int replayable) = MessageRun.Count(messages, settings.MaxMessageBytes, RunOrigin.Foreign);
        if (count != batch.Count || replayable != batch.ReplayableCount)
        {
            throw new ProtocolException($"batch says {batch.Count}/{batch.ReplayableCount} messages, holds {count}/{replayable}", 0);
        }

        Failpoint.Pass("K2");
        if (count > 0)
        {
            uint? checksum = messages.Length < WorthDeriving ? null
                : header.ChecksumBehind(body.Slice(0, messages.Start), (int)messages.Length);
            await pipeline.AppendAsync(input, IsOpen, messages, count, replayable, hello.Epoch, retired, checksum: checksum);
        }
    }
}
