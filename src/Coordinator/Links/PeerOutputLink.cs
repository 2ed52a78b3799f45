using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Links;

/// <summary>Carries one output buffer to its destination: looks the address up each time, says Hello, applies the sender's rules to
/// the answer (docs/internals/exactly-once.md#sender-on-answer), sends batches, receives trims; on any break it starts again.</summary>
internal sealed class PeerOutputLink(OutputBuffer buffer, PeerSettings settings, ITransport transport, ICatalog catalog,
    ReconnectPolicy reconnect, IPeerFailures failures)
{
    private readonly List<OutputEntry> _batch = [];
    private readonly BatchSender _sender = new();
    private Action? _offers;
    private IConnection? _data;
    private IConnection? _control;
    private ulong _generation;
    private ulong _offered; // The last total that this session has handed to its connection.
    private SenderRules? _rules;
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

    private SenderRules Rules => _rules ??= new SenderRules(buffer, settings, failures, _gaps, Report);

    public async Task RunAsync()
    {
        while (!_stopped)
        {
            if (!buffer.IsWanted)
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
        // Stopped while it was looked up: nobody would end this session any more.
        if (_stopped || entry is null || !EndPointName.TryParse(entry.PeerAddress, out EndPointName? address, out _))
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

        if (Rules.Apply(answer, known, out ulong resumeBehind) is { } objection)
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
        // A host that vanishes now leaves nothing that says so, and heartbeats come only with the answer.
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
                Report(connection.ProvenName is null ? closed
                    : $"{PeerErrors.BrokenOff} {closed}; if it refused this certificate, its log says why");
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

    private async Task SendBatchesAsync(IConnection connection, ulong next)
    {
        while (!_sessionOver && !buffer.IsNamed)
        {
            await buffer.Changed.WaitAsync();
        }

        await _gaps.TellAsync(connection.Output);
        while (!_sessionOver)
        {
            buffer.TakeBatch(next, _batch);
            if (_batch.Count == 0)
            {
                await buffer.Changed.WaitAsync();
                continue;
            }

            int sent = await _sender.SendAsync(connection, _batch, _offers ??= () => _offered = _batch[^1].LastTotal);
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
                        Rules.Take(PeerAnswer.Read(frame.Body), _offered);
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
