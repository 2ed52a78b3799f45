using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Link;

/// <summary>
/// One fresh immortal on one connection, to which this side plays coordinator in mode debug: a checkpoint, records or parts of them,
/// questions. What the immortal sends is gathered and goes nowhere. Calls are made one after the other; the app works meanwhile.
/// </summary>
internal sealed class ReplaySession : IAsyncDisposable
{
    private const int FlushAt = 128 * 1024;
    private readonly IDuplexPipe _link;
    private readonly IReplayApp _app;
    private readonly ReplayLog _log;
    private readonly AppStream _stream;
    private readonly Task _reading;
    private readonly Queue<VersionChange> _crossings = new();
    private ulong _requests;
    private long _largestMessage;
    private AwakeableKey? _awakeables;

    private ReplaySession(IDuplexPipe link, IReplayApp app, BindingHello hello, ReplayLog log)
    {
        (_link, _app, _log, Introduction) = (link, app, log, hello);
        _stream = new AppStream(link.Input, log.Instance, TakesParts);
        _reading = ReadAsync();
    }

    /// <summary>How the app introduced itself.</summary>
    public BindingHello Introduction { get; }

    /// <summary>Whether it can be stopped inside a record.</summary>
    public bool TakesParts => (Introduction.Features & BindingFeatures.Parts) != 0;

    /// <summary>Whether it says which effects its turns ask for.</summary>
    public bool TellsEffects => (Introduction.Features & BindingFeatures.EffectRequests) != 0;

    /// <summary>Last turn that the app has reported as done.</summary>
    public Position Done => _stream.Done;

    /// <summary>Connects and exchanges greetings.</summary>
    /// <exception cref="ReplayException">The app does not come, or is another kind.</exception>
    public static async Task<ReplaySession> OpenAsync(IReplayApp app, ReplayLog log, CancellationToken cancellationToken)
    {
        IDuplexPipe link = await app.ConnectAsync(cancellationToken);
        BindingHello hello = await ReadHelloAsync(link.Input, app, cancellationToken);
        ulong features = hello.Features
            & (BindingFeatures.Parts | BindingFeatures.Limits | BindingFeatures.EffectRequests | BindingFeatures.Awakeables);
        var welcome = new BindingWelcome(
            BindingHello.CurrentVersion, features, BindingMode.Debug, Math.Max(1, log.Epoch), log.InstanceId, log.Instance,
            MaxMessageBytes: 1L << 30, MaxTurnBytes: 1L << 40);
        var data = new ArrayBufferWriter<byte>(256);
        welcome.Write(data);
        Version2Framing.WriteMessage(link.Output, BindingMessageType.Welcome, data.WrittenSpan);
        await link.Output.FlushAsync(cancellationToken);
        var session = new ReplaySession(link, app, hello, log);
        (IReadOnlyList<MessagePosition> skips, IReadOnlyList<VersionChange> upgrades) = await log.DecisionsAsync();
        foreach (MessagePosition skip in skips)
        {
            session.Skip(skip);
        }

        foreach (VersionChange upgrade in (hello.Features & BindingFeatures.Upgrades) != 0 ? upgrades : [])
        {
            session._crossings.Enqueue(upgrade);
        }

        return session;
    }

    /// <summary>Puts the fresh immortal into a state: the one behind, or within, this record.</summary>
    public async Task LoadAsync(IAppState state, ulong lsn)
    {
        while (_crossings.TryPeek(out VersionChange? crossed) && crossed.At.Value < lsn)
        {
            _crossings.Dequeue();
        }

        new Version2Framing().WriteCheckpointHeader(_link.Output, state.Size);
        await state.CopyToAsync(WriteAsync);
        Limit(_log.LargestMessageBehind(lsn));
        Name(_log.AwakeablesBehind(lsn));
        await FlushAsync();
    }

    /// <summary>
    /// The app converts the state that it has to its own version, and ignores the upgrades of the log: what would have been if it had
    /// been there.
    /// </summary>
    public void Upgrade()
    {
        _crossings.Clear();
        Convert("");
    }

    /// <summary>
    /// Goes through the upgrades up to this record, which has been sent. Harmless if the state that was loaded is of that version already.
    /// </summary>
    public void Cross(ulong lsn)
    {
        while (_crossings.TryPeek(out VersionChange? crossing) && crossing.At.Value <= lsn)
        {
            Convert(_crossings.Dequeue().To);
        }
    }

    /// <summary>From here on outputs are gathered until this much is done.</summary>
    public OutputCut Cut(Position end, bool keep, TurnOutputs into) => _stream.Expect(new OutputCut(end.Lsn, end.Index + 1, keep, into));

    /// <summary>Sends messages of a record. Returns when they are on their way, not when they are done.</summary>
    public ValueTask SendAsync(LoggedRecord record, int first, int count)
    {
        Cross(record.Lsn - 1);
        Limit(record.LargestMessage);
        Name(record.Awakeables ?? _log.AwakeablesBehind(record.Lsn)); // It may stand in one before that holds no messages.
        PipeWriter output = _link.Output;
        bool whole = first == 0 && count == record.Count;
        if (!whole)
        {
            Span<byte> part = stackalloc byte[RecordPart.MaxSize];
            Version2Framing.WriteMessage(output, BindingMessageType.Part,
                part[..new RecordPart(first, first + count < record.Count).Write(part)]);
        }

        int size = whole ? record.PayloadSize : record.SizeOf(first, count);
        Span<byte> info = stackalloc byte[RecordInfo.MaxSize];
        int length = new RecordInfo(record.Lsn, record.Epoch, record.Timestamp, count, size, RecordInfo.Replay).Write(info);
        Version2Framing.WriteMessage(output, BindingMessageType.RecordInfo, info[..length]);
        if (whole)
        {
            output.Write(record.Payload.Span);
        }
        else
        {
            for (int i = first; i < first + count; i++)
            {
                output.Write(record.Framed(i).Span);
            }
        }

        return output.UnflushedBytes >= FlushAt ? new ValueTask(FlushAsync()) : default;
    }

    /// <summary>Sends what is still here, and waits until the app has done that much.</summary>
    public async Task<TurnOutputs> ReachAsync(OutputCut cut)
    {
        await FlushAsync();
        return await cut.Reached;
    }

    /// <summary>Everything written goes out.</summary>
    public async Task FlushAsync() => await WriteAsync(ReadOnlyMemory<byte>.Empty);

    /// <summary>
    /// Asks for the state between the turns sent so far and those sent later. Ends when it has come; null when the state cannot be saved.
    /// </summary>
    public Task<HeldState?> RequestCheckpoint()
    {
        Task<HeldState?> wanted = _stream.ExpectCheckpoint();
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.TakeCheckpoint, default);
        // Its answer comes without a checkpoint before it when there is none.
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.Heartbeat, default);
        return wanted;
    }

    /// <summary>Ends when the app has dealt with all that was sent, a state that it was given included.</summary>
    public async Task SettleAsync()
    {
        Task<HeldState?> answer = _stream.ExpectCheckpoint(); // None is asked for, so none comes: only the heartbeat's answer.
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.Heartbeat, default);
        await FlushAsync();
        await answer;
    }

    /// <summary>The state as JSON, or only its hash, as it is behind the turns sent so far.</summary>
    public async Task<string> StateAsync(bool hashOnly)
    {
        ulong id = ++_requests;
        Task<string> reply = _stream.ExpectState(id);
        SendStateRequest(id, hashOnly);
        await FlushAsync();
        return await reply;
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _link.Output.CompleteAsync();
        _link.Input.CancelPendingRead();
        await _reading;
        await _link.Input.CompleteAsync();
        if (_link is IAsyncDisposable disposable)
        {
            await disposable.DisposeAsync();
        }
    }

    private void Convert(string goal)
    {
        var data = new ArrayBufferWriter<byte>();
        new ByteWriter(data).WriteString(goal);
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.UpgradeService, data.WrittenSpan);
    }

    // What a handler could send when the record was new it can send now, and no more.
    private void Limit(long largestMessage)
    {
        if (largestMessage == 0 || largestMessage == _largestMessage || (Introduction.Features & BindingFeatures.Limits) == 0)
        {
            return;
        }

        _largestMessage = largestMessage;
        Span<byte> data = stackalloc byte[HandlerLimits.MaxSize];
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.Limits, data[..new HandlerLimits(largestMessage).Write(data)]);
    }

    // As when the record was new.
    private void Name(AwakeableKey? key)
    {
        if (key is null || key.Equals(_awakeables) || (Introduction.Features & BindingFeatures.Awakeables) == 0)
        {
            return;
        }

        _awakeables = key;
        var data = new ArrayBufferWriter<byte>();
        key.Write(data);
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.Awakeables, data.WrittenSpan);
    }

    private void Skip(MessagePosition message)
    {
        Span<byte> data = stackalloc byte[MessagePosition.MaxSize];
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.Skip, data[..message.Write(data)]);
    }

    private void SendStateRequest(ulong id, bool hashOnly)
    {
        Span<byte> data = stackalloc byte[Varint.MaxSize64 + 1];
        int size = Varint.Write(data, id);
        data[size++] = hashOnly ? (byte)1 : (byte)0;
        Version2Framing.WriteMessage(_link.Output, BindingMessageType.StateRequest, data[..size]);
    }

    private async ValueTask WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            FlushResult result = bytes.IsEmpty ? await _link.Output.FlushAsync() : await _link.Output.WriteAsync(bytes);
            if (!result.IsCompleted)
            {
                return;
            }
        }
        catch (Exception error) when (error is not (OutOfMemoryException or OperationCanceledException))
        {
            // An app in this process ends its pipe with whatever it died of. The reading side knows more about the end than the writing
            // side.
            await _reading;
            throw _stream.Failure ?? new ReplayException($"{_app.Description} is gone.", error);
        }

        await _reading;
        throw _stream.Failure ?? new ReplayException($"{_app.Description} is gone.");
    }

    private async Task ReadAsync()
    {
        string reason;
        try
        {
            reason = await _stream.ReadAsync();
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            // An app in this process ends its pipe with whatever it died of, a state that it cannot read for one: what waits must hear of
            // it.
            reason = error.Message;
        }

        string? death = _stream.IsClosing ? null : await _app.DeathRecordAsync();
        _stream.End(new ReplayException(
            $"{_app.Description} ended after {(_stream.Done == default ? "its checkpoint" : _stream.Done)}: {death ?? reason}"));
    }

    private static async Task<BindingHello> ReadHelloAsync(PipeReader input, IReplayApp app, CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await input.ReadAsync(cancellationToken);
            if (AppMessage.TryRead(result.Buffer, FrameLimits.HandshakeString * 8, out AppMessage message))
            {
                if (message.Type != BindingMessageType.Hello)
                {
                    throw new ReplayException($"{app.Description} does not speak version 2 of the binding link.");
                }

                BindingHello hello = BindingHello.Read(message.ToArray());
                input.AdvanceTo(message.Data.End);
                return hello;
            }

            input.AdvanceTo(result.Buffer.Start, result.Buffer.End);
            if (result.IsCompleted)
            {
                throw new ReplayException($"{app.Description} went away before it said hello. {await app.DeathRecordAsync()}".TrimEnd());
            }
        }
    }
}
