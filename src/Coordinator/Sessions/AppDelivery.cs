using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// Writes durable records to the app in order: from the cache while it keeps up, else from the log. Requests for checkpoints and
/// BecomingPrimary go between records, in-stream (docs/internals/exactly-once.md H5e, H6).
/// </summary>
internal sealed class AppDelivery(PipeWriter output, IAppFraming framing, bool version2,
    AppServices services, CheckpointExchange checkpoints, Action<Lsn> passedOver)
{
    private readonly WakeSignal _work = new();
    private readonly Queue<(BindingMessageType Type, byte[] Data, Action<Lsn>? Written)> _messages = new();
    private readonly InputWatermarks _inputs = new();
    private readonly DurableRecords _log = new(services);
    private readonly DigestLookahead _lookahead = new(services);
    private bool _upgradeBegun;
    private bool _held;
    private bool _firstStart;
    private Lsn? _convertedAt;
    private bool _ended;
    private bool _handsOver;

    /// <summary>Last record written to the app.</summary>
    public Lsn Delivered { get; private set; }

    /// <summary>Last record with messages that was written: what lies behind it changes nothing, and a replica may not have it.</summary>
    public Lsn DeliveredMessages { get; private set; }

    /// <summary>Last message of that record that was written; the largest number when all were.</summary>
    public int DeliveredIndex { get; private set; } = int.MaxValue;

    /// <summary>The records of this range are sent message by message, each behind the end of the one before; null: none.</summary>
    public Suspect? Steps { get; init; }

    /// <summary>Whether the app has reported the end of a message's turn.</summary>
    public required Func<MessagePosition, bool> HasDone { get; init; }

    /// <summary>The limits under which records were executed first.</summary>
    public required StreamedLimit Limit { get; init; }

    /// <summary>What the app says of its build; null if it says nothing.</summary>
    public BuildChange? Builds { get; init; }

    public bool PrimaryAnnounced { get; private set; }

    /// <summary>Where the app converts its state; null if it never does.</summary>
    public UpgradeGate? Gate { get; set; }

    /// <summary>Inputs as of the last record written.</summary>
    public IEnumerable<InputMark> Inputs => _inputs.All;

    /// <summary>Nothing more is delivered, nor is a checkpoint asked for, while this is true.</summary>
    public bool Held
    {
        get => _held;
        set
        {
            _held = value;
            _work.Set();
        }
    }

    /// <summary>
    /// Records up to here are replay; BecomingPrimary goes behind the last of them, once the app has reported its end (exactly-once.md
    /// H5e).
    /// </summary>
    public Lsn ReplayThrough { get; set; }

    public void Wake() => _work.Set();

    public void RequestCheckpoint()
    {
        checkpoints.Want();
        _work.Set();
    }

    /// <summary>Asks for a checkpoint because enough has been logged since the last one.</summary>
    public void CheckpointIsDue()
    {
        checkpoints.BecomeDue();
        _work.Set();
    }

    /// <summary>A message of the coordinator's own, between records; <paramref name="written"/> is told behind which.</summary>
    public void Send(BindingMessageType type, byte[] data, Action<Lsn>? written = null)
    {
        _messages.Enqueue((type, data, written));
        _work.Set();
    }

    /// <summary>Tells the app which messages it is to pass over.</summary>
    public void SendSkips(IEnumerable<MessagePosition> skips)
    {
        foreach (MessagePosition skip in skips)
        {
            byte[] data = new byte[MessagePosition.MaxSize];
            Send(BindingMessageType.Skip, data[..skip.Write(data)]);
        }
    }

    public void End()
    {
        _ended = true;
        output.CancelPendingFlush();
        _work.Set();
    }

    /// <summary>Ends when all that was asked for is written; somebody else writes to the app from then on.</summary>
    public void HandOver()
    {
        _handsOver = true;
        _work.Set();
    }

    /// <summary>Streams the app's part of a checkpoint.</summary>
    public async ValueTask SendCheckpointAsync(CheckpointImage image)
    {
        framing.WriteCheckpointHeader(output, image.AppSize);
        byte[] block = new byte[256 * 1024];
        long left = image.AppSize;
        while (left > 0)
        {
            int size = (int)Math.Min(left, block.Length);
            await image.ReadAppAsync(block.AsMemory(0, size));
            await FlushAsync(await output.WriteAsync(block.AsMemory(0, size)));
            left -= size;
        }

        await FlushAsync(await output.FlushAsync());
    }

    /// <summary>Delivers everything behind <paramref name="from"/> until the session ends.</summary>
    public async Task RunAsync(Lsn from, CheckpointHead head, bool firstStart)
    {
        Delivered = from;
        DeliveredMessages = from;
        checkpoints.BeginBehind(from);
        _firstStart = firstStart;
        _inputs.Apply(head.Inputs);
        Limit.Apply(head.LargestMessage);

        try
        {
            while (!_ended)
            {
                await StepAsync();
            }
        }
        finally
        {
            await _log.CloseAsync();
            await _lookahead.CloseAsync();
        }
    }

    private async ValueTask StepAsync()
    {
        if (_lookahead.IsDue)
        {
            await _lookahead.StepAsync(Delivered.Next);
        }

        bool atEnd = !PrimaryAnnounced && Delivered >= ReplayThrough && services.Position.HasCheckpoint && !AwaitsCheckpoint;
        // What the app did in replay is compared before it may act, and what comes next is no replay.
        // An app of another build is saved first: before it acts, and before it gets what no other has executed.
        bool saves = Builds is { IsOpen: true } && !_firstStart && !services.Position.Follows && services.Position.HasCheckpoint
            && !PrimaryAnnounced
            && Gate is not { WantsUpgrade: true } && (atEnd || Delivered >= services.Position.Executed);
        bool closed = ((atEnd || saves) && version2 && !IsDone(Delivered)) || (Gate is not null && await PassGateAsync(Gate, atEnd));
        bool waits = saves && !closed && await Builds!.HoldsAsync(Delivered);
        closed |= waits;
        if (atEnd && !closed && Gate is not { MayAct: false })
        {
            Failpoint.Pass("K22");
            PrimaryAnnounced = true;
            if (version2)
            {
                framing.WriteControl(output, BindingMessageType.BecomingPrimary);
            }
            else if (!_firstStart && _convertedAt is null)
            {
                // At a first start that request has gone out already: it opened the session. An upgrade has had its checkpoint.
                checkpoints.Expect(Delivered, _inputs.All, Limit.LargestMessage);
                framing.WriteControl(output, BindingMessageType.TakeBecomingPrimaryCheckpoint);
            }
        }

        if (_convertedAt is { } converted && Delivered > converted)
        {
            // By the next request for a checkpoint, behind another record, a binding of the original knows that its upgrade is complete.
            _convertedAt = null;
            checkpoints.Want();
        }

        if (!AwaitsCheckpoint && _messages.TryDequeue(out (BindingMessageType Type, byte[] Data, Action<Lsn>? Written) message))
        {
            message.Written?.Invoke(Delivered);
            framing.WriteControl(output, message.Type, message.Data);
        }
        else if (checkpoints.IsWantedBehind(Delivered) && (PrimaryAnnounced || (waits && Builds!.IsTold)
            || (services.Position.Follows && Builds is not { IsOther: true }))
            && Gate is not { IsBeforeCrossing: true } && !checkpoints.Busy && !_held)
        {
            checkpoints.Expect(Delivered, _inputs.All, Limit.LargestMessage);
            framing.WriteControl(output, BindingMessageType.TakeCheckpoint);
            _held |= checkpoints.LastIsAsked;
        }
        else if (services.Position.HasCheckpoint && Delivered < services.Position.Durable && !closed && !_held && !AwaitsCheckpoint
            && MayDeliver(Delivered.Next))
        {
            await DeliverAsync(Delivered.Next, replay: Delivered < ReplayThrough);
        }
        else if (output.UnflushedBytes > 0)
        {
            await FlushAsync(await output.FlushAsync());
        }
        else if (_handsOver)
        {
            _ended = true;
        }
        else
        {
            await _work.WaitAsync();
        }
    }

    // Bindings of the published protocol may save their state later than they are asked: it must not have changed by then.
    private bool AwaitsCheckpoint => !version2 && checkpoints.Busy;

    /// <summary>True while nothing may be delivered because the app converts its state, or is about to.</summary>
    private async ValueTask<bool> PassGateAsync(UpgradeGate gate, bool atEnd)
    {
        if (gate.Closed)
        {
            return true;
        }

        bool crosses = gate.TryCross(Delivered);
        if (!crosses && !(atEnd && gate.WantsUpgrade))
        {
            return false;
        }

        if (!crosses && checkpoints.Busy)
        {
            return true; // A replica's app may still write the checkpoint that it was asked for before it was promoted: that is of the old version.
        }

        if (!crosses && !_upgradeBegun)
        {
            // What this may log is delivered first: it lies behind every checkpoint that another replica may still write.
            Lsn before = services.Position.Durable;
            _upgradeBegun = await services.BeginUpgradeAsync(gate.Proposed(Lsn.None));
            if (services.Position.Durable > before)
            {
                return false;
            }
        }

        if (!crosses && services.Log.Checkpoints.Any(checkpoint => checkpoint.Lsn == Delivered))
        {
            // The new version's checkpoint must not take the place of the old one's: a record between them gives it a name of its own.
            await services.Decisions.LogAsync(gate.Proposed(Lsn.None));
            return false;
        }

        if (!crosses)
        {
            gate.Begin(Delivered);
            checkpoints.Expect(Delivered, _inputs.All, Limit.LargestMessage);
        }

        AskToConvert(gate.Current!.To);
        return gate.Closed;
    }

    /// <summary>Asks the app, which has been sent everything up to here, to convert its state.</summary>
    public void AskToConvert(string goal)
    {
        Failpoint.Pass("K23");
        if (version2)
        {
            var data = new ArrayBufferWriter<byte>();
            new ConversionRequest(goal, Gate?.Executed).Write(data);
            Version2Framing.WriteMessage(output, BindingMessageType.UpgradeTakeCheckpoint, data.WrittenSpan);
        }
        else if (Gate is { IsCrossing: true } crossing)
        {
            framing.WriteControl(output, BindingMessageType.UpgradeService); // Answered by nothing: replay goes on.
            crossing.Open();
        }
        else
        {
            _convertedAt = Delivered;
            framing.WriteControl(output, BindingMessageType.UpgradeTakeCheckpoint);
        }

        _work.Set();
    }

    // Nothing is on its way to the app when the first step is taken, so that its death can be blamed on one message.
    private bool MayDeliver(Lsn next) => !InSteps(next) || IsDone(Delivered);

    private bool IsDone(Lsn lsn) => HasDone(new MessagePosition(lsn.Value, int.MaxValue));

    private bool InSteps(Lsn lsn) => Steps is { } range && range.First.Lsn <= lsn.Value && lsn.Value <= range.Last.Lsn;

    private async ValueTask DeliverAsync(Lsn lsn, bool replay)
    {
        if (lsn == Lsn.None.Next)
        {
            Failpoint.Pass("K26");
        }

        if (services.Cache.TryTake(lsn, out CachedRecord cached))
        {
            using (cached)
            {
                await WriteAsync(cached.Record.Header, cached.Record.Payload, cached.Marks, replay);
            }
        }
        else
        {
            if (!replay)
            {
                services.Sizes.Decided(CoreLimit.DeliveryCache);
            }

            LogReader reader = await _log.ReadAsync(lsn);
            RecordTrailer trailer = RecordTrailer.Read(reader.Body, out ReadOnlyMemory<byte> payload);
            await WriteAsync(reader.Header, payload, trailer, replay);
        }

        if (!version2)
        {
            // There the ends of turns cannot be seen: what was handed over is taken for done.
            passedOver(lsn);
        }

        if (output.UnflushedBytes >= services.Sizes.DeliveryFlushBytes)
        {
            services.Sizes.Decided(CoreLimit.DeliveryFlush);
            await FlushAsync(await output.FlushAsync());
        }
    }

    private ValueTask WriteAsync(RecordHeader header, ReadOnlyMemory<byte> payload, RecordMarks marks, bool replay)
    {
        _inputs.Apply(marks.Inputs);
        foreach (TurnDigest turn in marks.Turns)
        {
            services.Check.Logged(turn);
        }

        Limit.Apply(marks.LargestMessage);
        services.Delivered(marks.MessageCount);
        Delivered = header.Lsn; // Before the bytes: the app may have answered by the time that a write returns.
        if (payload.IsEmpty)
        {
            // Trims and digests only: the app has nothing to do, and a digest of nothing would ask for the next such record.
            passedOver(header.Lsn);
        }
        else
        {
            DeliveredMessages = header.Lsn;
            if (!replay && version2)
            {
                services.Latency.Delivered(header.Lsn);
            }

            var info = new RecordInfo(header.Lsn.Value, header.Epoch.Value, header.Timestamp, marks.MessageCount, payload.Length, !replay
                ? (byte)0 : services.Position.ReplayFlags(header.Lsn, Builds is not null));
            if (version2 && Failpoint.IsArmed("K7"))
            {
                return WriteInHalvesAsync(info, payload, marks);
            }

            if (version2 && InSteps(header.Lsn))
            {
                return WriteInStepsAsync(info with { Flags = (byte)(info.Flags | RecordInfo.InSteps) }, payload, marks);
            }

            if (version2 && payload.Length >= services.Sizes.DeliveryFlushBytes)
            {
                return WriteDirectlyAsync(info, payload, marks);
            }

            framing.WriteRecord(output, info, payload, marks);
        }

        return default;
    }

    // A large payload goes from its page to the socket without a copy; the caller keeps the page until then.
    private async ValueTask WriteDirectlyAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        framing.WriteRecord(output, info, ReadOnlyMemory<byte>.Empty, marks);
        await FlushAsync(await output.WriteAsync(payload));
    }

    private async ValueTask WriteInStepsAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        DeliveredIndex = -1;
        framing.WriteRecord(output, info, ReadOnlyMemory<byte>.Empty, marks);
        int start = 0;
        foreach (int end in LoggedMessage.Ends(payload.Span))
        {
            DeliveredIndex++;
            await FlushAsync(await output.WriteAsync(payload[start..end]));
            start = end;
            while (!HasDone(new MessagePosition(info.Lsn, DeliveredIndex)))
            {
                await _work.WaitAsync();
                await FlushAsync(default);
            }
        }

        DeliveredIndex = int.MaxValue;
    }

    private async ValueTask WriteInHalvesAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks)
    {
        int half = payload.Length / 2;
        framing.WriteRecord(output, info, payload[..half], marks);
        await FlushAsync(await output.FlushAsync());
        Failpoint.Pass("K7");
        await FlushAsync(await output.WriteAsync(payload[half..]));
    }

    private ValueTask FlushAsync(FlushResult result) =>
        result.IsCompleted || result.IsCanceled || _ended ? throw new OperationCanceledException() : default;
}
