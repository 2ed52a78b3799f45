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
internal abstract class AppDelivery(
    PipeWriter output, IAppFraming framing, AppServices services, CheckpointExchange checkpoints, DeliveryTerms terms)
{
    private readonly WakeSignal _work = new();
    private readonly Queue<(BindingMessageType Type, byte[] Data, Action<Lsn>? Written)> _messages = new();
    private readonly InputWatermarks _inputs = new();
    private readonly DurableRecords _log = new(services);
    private readonly DigestLookahead _lookahead = new(services);
    private bool _upgradeBegun;
    private bool _held, _ended, _handsOver;

    /// <summary>Last record written to the app.</summary>
    public Lsn Delivered { get; private set; }

    /// <summary>Last record with messages that was written: what lies behind it changes nothing, and a replica may not have it.</summary>
    public Lsn DeliveredMessages { get; private set; }

    /// <summary>Last message of that record that was written; the largest number when all were.</summary>
    public int DeliveredIndex { get; protected set; } = int.MaxValue;

    /// <summary>Whether some records are sent message by message.</summary>
    public bool IsInSteps => terms.Steps is not null;

    /// <summary>The limits under which records were executed first.</summary>
    public StreamedLimit Limit => terms.Limit;

    /// <summary>The app has been told to act.</summary>
    public bool PrimaryAnnounced { get; private set; }

    /// <summary>What the session asks of it.</summary>
    protected DeliveryTerms Terms => terms;

    /// <summary>To the app.</summary>
    protected PipeWriter Output => output;

    /// <summary>How what goes to it is framed.</summary>
    protected IAppFraming Framing => framing;

    /// <summary>What outlives the connection.</summary>
    protected AppServices Services => services;

    /// <summary>The checkpoints that it was asked for.</summary>
    protected CheckpointExchange Checkpoints => checkpoints;

    /// <summary>The instance has no checkpoint yet: its first is what this app was asked for first.</summary>
    protected bool IsFirstStart { get; private set; }

    /// <summary>True while nothing may follow a checkpoint that was asked for, until it has come.</summary>
    protected abstract bool AwaitsCheckpoint { get; }

    /// <summary>Where the app converts its state; null if it never does.</summary>
    public UpgradeGate? Gate { get; set; }

    /// <summary>Inputs as of the last record written.</summary>
    public IEnumerable<InputWatermark> Inputs => _inputs.All;

    /// <summary>Nothing is delivered, nor a checkpoint asked for: for an upgrade, or after the last one of an app that leaves.</summary>
    public bool Held
    {
        get => _held || checkpoints.LastIsAsked;
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

    /// <summary>Tells the app which messages it is to skip.</summary>
    public virtual void SendSkips(IEnumerable<MessagePosition> skips)
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
        services.AbandonUpgrade();
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
        IsFirstStart = firstStart;
        _inputs.Apply(head.Inputs);
        Limit.Apply(head.LargestMessage);
        terms.Awakeables.Apply(head.Awakeables);

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
        bool saves = terms.Builds is { IsOpen: true } && !IsFirstStart && !services.Position.Follows && services.Position.HasCheckpoint
            && !PrimaryAnnounced
            && Gate is not { WantsUpgrade: true } && (atEnd || Delivered >= services.Position.Executed);
        bool closed = ((atEnd || saves) && !IsDone(Delivered)) || (Gate is not null && await PassGateAsync(Gate, atEnd));
        bool waits = saves && !closed && await terms.Builds!.HoldsAsync(Delivered);
        closed |= waits;
        if (atEnd && !closed && Gate is not { MayAct: false })
        {
            Failpoint.Pass("K22");
            PrimaryAnnounced = true;
            AnnouncePrimary();
        }

        LookAfterAnnouncement();
        if (!AwaitsCheckpoint && _messages.TryDequeue(out (BindingMessageType Type, byte[] Data, Action<Lsn>? Written) message))
        {
            message.Written?.Invoke(Delivered);
            framing.WriteControl(output, message.Type, message.Data);
        }
        else if (checkpoints.IsWantedBehind(Delivered) && (PrimaryAnnounced || (waits && terms.Builds!.IsTold)
            || (services.Position.Follows && terms.Builds is not { IsOther: true }))
            && Gate is not { IsBeforeCrossing: true } && !checkpoints.Busy && !Held)
        {
            Expect();
            framing.WriteControl(output, BindingMessageType.TakeCheckpoint);
        }
        else if (services.Position.HasCheckpoint && Delivered < services.Position.Durable && !closed && !Held && !AwaitsCheckpoint
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

    /// <summary>Tells the app, which has executed all that it replays, to act.</summary>
    protected abstract void AnnouncePrimary();

    /// <summary>Called in each step, behind the place of that announcement.</summary>
    protected virtual void LookAfterAnnouncement()
    {
    }

    /// <summary>Asks the app, which has been sent everything up to here, to convert its state.</summary>
    protected abstract void WriteConversion(string goal);

    /// <summary>Writes a record that holds messages.</summary>
    protected abstract ValueTask WriteMessagesAsync(RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks, bool replay);

    /// <summary>Called when a record has been written, or skipped.</summary>
    protected virtual void Wrote(Lsn lsn)
    {
    }

    /// <summary>
    /// Whether the app may have to be waited for, because it reports the ends of its turns, and this record has not ended.
    /// </summary>
    protected virtual bool IsDone(Lsn lsn) => terms.HasDone(new MessagePosition(lsn.Value, int.MaxValue));

    /// <summary>Expects the checkpoint that the app is just being asked for.</summary>
    protected void Expect() => checkpoints.Expect(ExpectedAt(Delivered));

    /// <summary>What a checkpoint holds that lies after this record, the last one written.</summary>
    public ExpectedCheckpoint ExpectedAt(Lsn lsn) => new(lsn, [.. _inputs.All], Limit.LargestMessage, terms.Awakeables.Key);

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
            // A replica's app may still write the checkpoint that it was asked for before it was promoted: that is of the old version.
            return true;
        }

        if (!crosses && !_upgradeBegun)
        {
            // What this may log is delivered first: it lies after every checkpoint that another replica may still write.
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
            Expect();
        }

        AskToConvert(gate.Current!.To);
        return gate.Closed;
    }

    /// <summary>If it has begun an upgrade, that is over.</summary>
    public async ValueTask EndUpgradeAsync()
    {
        if (_upgradeBegun)
        {
            _upgradeBegun = false;
            await services.EndUpgradeAsync();
        }
    }

    /// <summary>Asks the app, which has been sent everything up to here, to convert its state.</summary>
    public void AskToConvert(string goal)
    {
        Failpoint.Pass("K23");
        WriteConversion(goal);
        _work.Set();
    }

    // Nothing is on its way to the app when the first step is taken, so that its death can be blamed on one message.
    private bool MayDeliver(Lsn next) => !InSteps(next) || IsDone(Delivered);

    /// <summary>Whether this record is sent message by message.</summary>
    protected bool InSteps(Lsn lsn) => terms.Steps is { } range && range.First.Lsn <= lsn.Value && lsn.Value <= range.Last.Lsn;

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
            if (Held)
            {
                return; // Meanwhile an upgrade has taken what is delivered for all that this app will have executed.
            }

            RecordTrailer trailer = RecordTrailer.Read(reader.Body, out ReadOnlyMemory<byte> payload);
            await WriteAsync(reader.Header, payload, trailer, replay);
        }

        Wrote(lsn);
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
        terms.Awakeables.Apply(marks.Awakeables);
        services.Delivered(marks.MessageCount);
        Delivered = header.Lsn; // Before the bytes: the app may have answered by the time that a write returns.
        if (payload.IsEmpty)
        {
            // Trims and digests only: the app has nothing to do, and a digest of nothing would ask for the next such record.
            terms.Unreported(header.Lsn);
        }
        else
        {
            DeliveredMessages = header.Lsn;
            var info = new RecordInfo(header.Lsn.Value, header.Epoch.Value, header.Timestamp, marks.MessageCount, payload.Length, !replay
                ? (byte)0 : services.Position.ReplayFlags(header.Lsn, terms.Builds is not null));
            return WriteMessagesAsync(info, payload, marks, replay);
        }

        return default;
    }

    /// <summary>Waits until something has happened, and ends with the session.</summary>
    protected async ValueTask WorkAsync()
    {
        await _work.WaitAsync();
        await FlushAsync(default);
    }

    /// <summary>Ends what was being written when the session has ended.</summary>
    /// <exception cref="OperationCanceledException">It has.</exception>
    protected ValueTask FlushAsync(FlushResult result) =>
        result.IsCompleted || result.IsCanceled || _ended ? throw new OperationCanceledException() : default;
}
