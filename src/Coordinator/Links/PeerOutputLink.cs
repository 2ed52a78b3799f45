using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>Carries one output buffer to its destination: looks the address up each time, says Hello, applies the sender's rules to
/// the answer (docs/internals/exactly-once.md#sender-on-answer), sends batches, receives trims; on any break it starts again.</summary>
internal sealed class PeerOutputLink(OutputBuffer buffer, PeerSettings settings, ITransport transport, ICatalog catalog, ReconnectPolicy reconnect, IPeerFailures failures)
{
    /// <summary>Numbers that are added to a larger one could overflow; no honest receiver gets that far.</summary>
    private const ulong LargestNumber = long.MaxValue;

    private readonly List<OutputEntry> _batch = [];
    private readonly BatchSender _sender = new();
    private IConnection? _data;
    private IConnection? _control;
    private ulong _generation;
    private ulong _offered; // The last total that this session has handed to its connection.
    private Guid _receiver;
    private bool _stopped;
    private bool _sessionOver;
    private readonly GapNotice _gaps = new(buffer);
    private long? _triedSince;
    private readonly OutputBeats _beats = new();
    private readonly OutputTrouble _trouble = new(buffer.Destination, settings.Logger);

    public OutputBuffer Buffer => buffer;

    /// <summary>True while the destination has answered and the connection holds.</summary>
    public bool Connected { get; private set; }

    /// <summary>Why it is not connected, for people; null while it is or nothing is to be sent.</summary>
    public string? Trouble => _trouble.Text;

    public long LastHeard { get; private set; }

    /// <summary>How long it has been dialled without an answer to send anything after; null while there is none to wait for.</summary>
    public TimeSpan? TriedInVain => Connected || _triedSince is not { } since ? null : settings.Time.GetElapsedTime(since);

    /// <summary>Messages sent, those sent again after a break included.</summary>
    public long MessagesSent { get; private set; }

    /// <summary>Connections that were answered and then ended.</summary>
    public long Disconnects { get; private set; }

    public async Task RunAsync()
    {
        while (!_stopped)
        {
            if (buffer.IsEmpty)
            {
                _triedSince = null;
                await buffer.Changed.WaitAsync();
                continue;
            }

            _triedSince ??= settings.Time.GetTimestamp();
            try
            {
                await ConnectAndSendAsync();
            }
            catch (ProtocolException error)
            {
                Report(error.Message);
            }
            catch (IOException error) when (Breakage.OfConnection(error))
            {
                Broke(error);
            }
            finally
            {
                await HangUpAsync();
            }

            if (!_stopped)
            {
                await reconnect.WaitAsync();
            }
        }
    }

    public void Stop()
    {
        _stopped = true;
        EndSession();
        buffer.Changed.Set();
    }

    /// <summary>Ends the present connection; the loop dials again.</summary>
    public void EndSession()
    {
        _sessionOver = true;
        Connected = false;
        _data?.Abort();
        _control?.Abort();
        _beats.Wake();
        buffer.Changed.Set();
    }

    public void OfferHeartbeat()
    {
        if (_control is not null)
        {
            _beats.Offer();
        }
    }

    // Once for each trouble, however often it is met when dialling again: true the first time.
    private bool Report(string trouble) => !_stopped && _trouble.Report(trouble);

    // The loop dials again. What fails because the session has ended says nothing of why it did.
    private void Broke(IOException error)
    {
        if (!_sessionOver || _trouble.Text is null)
        {
            Report(error.Message);
        }
    }

    private async Task ConnectAndSendAsync()
    {
        CatalogEntry? entry = await PeerDial.LookUpAsync(catalog, buffer.Destination);
        if (entry is null || !EndPointName.TryParse(entry.PeerAddress, out EndPointName? address, out _))
        {
            Report($"{buffer.Destination} has no address in the catalog");
            return;
        }

        _sessionOver = false;
        _gaps.Begin();
        _generation++;
        Guid known = InstanceIds.Parse(entry.InstanceId);
        _data = await PeerDial.ConnectAsync(transport, address, buffer.Destination);
        await HelloAsync(_data, PeerChannel.Data, known);
        // A session ended while dialling must not come to life.
        if (_sessionOver || await ReadAnswerAsync(_data) is not { } answer || !_gaps.MayAgree)
        {
            return;
        }

        if (Apply(answer, known, out ulong resumeBehind) is { } objection)
        {
            // The other side should know too: its operator sees its log, not ours.
            var body = new ArrayBufferWriter<byte>(256);
            objection.Write(body);
            await FrameSender.SendAsync(_data.Output, FrameKind.Goodbye, body.WrittenMemory);
            return;
        }

        _triedSince = null; // Before anything is awaited: numbers have been agreed upon, and nothing may be dropped beside this session.
        _control = await PeerDial.ConnectAsync(transport, address, buffer.Destination);
        await HelloAsync(_control, PeerChannel.Control, known);
        if (_sessionOver)
        {
            return;
        }

        _offered = resumeBehind;
        LastHeard = settings.Time.GetTimestamp();
        Connected = true;
        _trouble.Text = null;
        CoreLog.OutputConnected(settings.Logger, buffer.Destination, answer.ReceiverEpoch, answer.Durable.ToString());
        Task trims = ReceiveTrimsAsync(_control);
        Task control = SendHeartbeatsAsync(_control);
        Task goodbyes = ReceiveGoodbyeAsync(_data);
        try
        {
            await SendBatchesAsync(_data, resumeBehind + 1);
        }
        finally
        {
            EndSession();
            Disconnects++;
            await Task.WhenAll(trims, control, goodbyes);
        }
    }

    private async ValueTask HelloAsync(IConnection connection, PeerChannel channel, Guid knownId)
    {
        var body = new ArrayBufferWriter<byte>(256);
        new PeerHello(
            _gaps.Version, channel, settings.Cluster, settings.Instance, buffer.Destination,
            settings.InstanceId, knownId, settings.Epoch, _generation).Write(body);
        await FrameSender.SendAsync(connection.Output, FrameKind.Hello, body.WrittenMemory);
    }

    private async ValueTask<PeerAnswer?> ReadAnswerAsync(IConnection connection)
    {
        // A host that vanishes now leaves nobody who says so, and heartbeats come only with the answer.
        using var deadline = new CancellationTokenSource(PeerSettings.HandshakeTime, settings.Time);
        (FrameKind Kind, byte[] Body)? frame;
        try
        {
            frame = await FrameSender.ReadSmallAsync(connection.Input, deadline.Token);
        }
        catch (OperationCanceledException)
        {
            Report($"{buffer.Destination} did not answer within {PeerSettings.HandshakeTime.TotalSeconds:F0} s");
            return null;
        }

        switch (frame?.Kind)
        {
            case null:
                string closed = $"{buffer.Destination} closed the connection";
                Report(connection.ProvenName is null ? closed : $"{PeerErrors.BrokenOff} {closed}; if it refused this certificate, its log says why");
                return null;
            case FrameKind.Answer:
                return PeerAnswer.Read(frame.Value.Body);
            case FrameKind.Goodbye:
                TakeGoodbye(PeerGoodbye.Read(frame.Value.Body));
                return null;
            default:
                throw new ProtocolException($"{frame.Value.Kind} instead of an answer", 0);
        }
    }

    private void TakeGoodbye(PeerGoodbye goodbye)
    {
        if (goodbye.Error == LeadershipErrors.EpochTooOld)
        {
            failures.Accused(buffer.Destination, $"{buffer.Destination} says: {goodbye.Reason}");
        }

        Report($"{buffer.Destination} refused: {goodbye.Code} {goodbye.Reason}");
    }

    /// <summary>exactly-once.md#sender-on-answer. Why nothing may be sent; null, and the total to go on behind, when it may.</summary>
    private PeerGoodbye? Apply(PeerAnswer answer, Guid catalogId, out ulong resumeBehind)
    {
        resumeBehind = 0;
        if (answer.Durable.Total > LargestNumber)
        {
            throw new ProtocolException($"answer with total {answer.Durable.Total}; nothing is numbered above {LargestNumber}", 0);
        }

        bool replaced = buffer.ReceiverId != Guid.Empty && buffer.ReceiverId != answer.ReceiverId;
        if (replaced)
        {
            if (answer.ReceiverId != catalogId)
            {
                return Object(PeerErrors.UnknownIdentity, $"{buffer.Destination} has an identity that the catalog does not know");
            }

            // Its predecessor's confirmations stay what the numbers belong to until it has confirmed something itself.
            if (answer.Durable != Watermark.None)
            {
                buffer.DestinationReplaced(answer.ReceiverId, answer.ReceiverEpoch);
                replaced = false;
            }
        }
        else if (!buffer.AcceptReceiver(answer.ReceiverEpoch, answer.ReceiverId))
        {
            return Object(LeadershipErrors.EpochTooOld, $"{buffer.Destination} answered in the fenced epoch {answer.ReceiverEpoch}");
        }

        _receiver = answer.ReceiverId;
        if (answer.Durable.SenderEpoch > settings.Epoch)
        {
            string fenced = $"{buffer.Destination} has logged epoch {answer.Durable.SenderEpoch} of {settings.Instance}";
            failures.Accused(buffer.Destination, fenced);
            Report(fenced);
            return new PeerGoodbye(LeadershipErrors.Fenced, retry: false, fenced);
        }

        if (!replaced && answer.Durable.Replayable < buffer.Trimmed)
        {
            string older = $"{StoreErrors.PeerFellBack} {buffer.Destination} asks for message {answer.Durable.Replayable + 1}; it confirmed {buffer.Trimmed} before";
            if (Report(older))
            {
                failures.LogOlderThanPeerKnows(buffer.Destination, answer.Durable.Replayable, buffer.Trimmed);
            }

            return new PeerGoodbye(StoreErrors.PeerFellBack, retry: true, older);
        }

        if (!replaced && !failures.MayFollow(buffer, answer.Durable.Replayable))
        {
            return Object(ReplayErrors.DestinationClaimsMore, $"{buffer.Destination} has message {answer.Durable.Replayable}, which {settings.Instance} never sent");
        }

        // To a new instance of an old name its predecessor's share counts as sent.
        Watermark durable = replaced ? new Watermark(buffer.Trimmed, buffer.Trimmed, 0) : answer.Durable;
        if (durable.SenderEpoch == settings.Epoch && durable.Total >= buffer.NextTotal)
        {
            throw new ProtocolException($"{buffer.Destination} has {durable}, and message {buffer.NextTotal} was not sent yet", 0);
        }

        if (durable.SenderEpoch == settings.Epoch && buffer.NextTotal is not null)
        {
            buffer.ResumePlain(durable);
        }
        else
        {
            buffer.Rebase(durable);
        }

        resumeBehind = _gaps.Agree(durable);
        return null;
    }

    private PeerGoodbye Object(ErrorCode error, string reason)
    {
        Report(reason);
        return new PeerGoodbye(error, retry: true, reason);
    }

    private async Task SendBatchesAsync(IConnection connection, ulong next)
    {
        await _gaps.TellAsync(connection.Output);
        while (!_sessionOver)
        {
            buffer.TakeBatch(next, _batch);
            if (_batch.Count == 0)
            {
                await buffer.Changed.WaitAsync();
                continue;
            }

            _offered = _batch[^1].LastTotal;
            int sent = await _sender.SendAsync(connection, _batch);
            if (sent == 0 || _sessionOver)
            {
                return;
            }

            next += (ulong)sent;
            MessagesSent += sent;
            Failpoint.Pass("K11");
        }
    }

    private async Task ReceiveTrimsAsync(IConnection control)
    {
        try
        {
            while (await FrameSender.ReadSmallAsync(control.Input, CancellationToken.None) is { } frame)
            {
                LastHeard = settings.Time.GetTimestamp();
                if (frame.Kind != FrameKind.Goodbye)
                {
                    // Not when it has answered: one that hangs up at what it is sent would be dialled without a pause, for ever.
                    reconnect.Succeeded();
                    _trouble.Forget();
                }

                switch (frame.Kind)
                {
                    case FrameKind.Trim:
                        Take(PeerAnswer.Read(frame.Body));
                        break;
                    case FrameKind.Goodbye:
                        TakeGoodbye(PeerGoodbye.Read(frame.Body));
                        return;
                    case FrameKind.Heartbeat:
                        break;
                    default:
                        throw new ProtocolException($"{frame.Kind} on a control connection, from the receiver", 0);
                }
            }
        }
        catch (ProtocolException error)
        {
            Report(error.Message);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            Broke(error);
        }
        finally
        {
            EndSession();
        }
    }

    private void Take(PeerAnswer trim)
    {
        if (trim.ReceiverId == _receiver && buffer.ReceiverId != _receiver && trim.Durable != Watermark.None)
        {
            buffer.DestinationReplaced(trim.ReceiverId, trim.ReceiverEpoch);
        }

        // What it was never sent may be just on its way from the buffer: it must not be taken away.
        bool own = trim.Durable.SenderEpoch == settings.Epoch;
        if (own ? trim.Durable.Total > _offered : trim.Durable.Replayable > buffer.Trimmed)
        {
            throw new ProtocolException($"{buffer.Destination} confirms {trim.Durable}, and was sent no more than {_offered}", 0);
        }

        if (trim.ReceiverId == buffer.ReceiverId && buffer.AcceptReceiver(trim.ReceiverEpoch, trim.ReceiverId))
        {
            buffer.TrimTo(trim.Durable, settings.Epoch);
            failures.Trimmed(buffer);
            Failpoint.Pass("K12");
        }
    }

    private async Task ReceiveGoodbyeAsync(IConnection data)
    {
        try
        {
            if (await FrameSender.ReadSmallAsync(data.Input, CancellationToken.None) is { Kind: FrameKind.Goodbye } frame)
            {
                TakeGoodbye(PeerGoodbye.Read(frame.Body));
            }
        }
        catch (ProtocolException error)
        {
            Report(error.Message);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            Broke(error);
        }
        finally
        {
            EndSession();
        }
    }

    private async Task SendHeartbeatsAsync(IConnection control)
    {
        await _beats.SendAsync(control, () => _sessionOver, Broke);
        EndSession();
    }

    private async ValueTask HangUpAsync()
    {
        EndSession();
        if (_data is not null)
        {
            await _data.DisposeAsync();
        }

        if (_control is not null)
        {
            await _control.DisposeAsync();
        }

        _data = null;
        _control = null;
    }
}
