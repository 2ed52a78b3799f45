using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// One attached app, from its restoration to the end of its connection. Two loops: delivery writes checkpoint, records and
/// requests; the inbox reads outputs and marks. Both end together.
/// </summary>
internal sealed class AppSession : IAppEvents, IAttachedApp, IDisposable
{
    private readonly IDuplexPipe _connection;
    private readonly Continuation? _from;
    private readonly AppServices _services;
    private readonly AppChannel _channel;
    private readonly CheckpointExchange _checkpoints;
    private readonly VersionExchange _versions;
    private readonly AppStart _start;
    private readonly TurnProgress _progress;
    private byte[]? _initialMessage;
    private bool _primary;

    /// <summary>Serves an app that attaches.</summary>
    /// <param name="connection">The connection, behind its welcome.</param>
    /// <param name="dialect">How the app speaks.</param>
    /// <param name="services">What outlives the session.</param>
    /// <param name="features">Bits agreed on.</param>
    /// <param name="from">The app's life beside its predecessor: then it has its state already.</param>
    public AppSession(IDuplexPipe connection, IAppDialect dialect, AppServices services, ulong features = 0, Continuation? from = null)
    {
        Process = connection as IAppProcess;
        _connection = connection;
        (_services, _from) = (services, from);
        _checkpoints = new CheckpointExchange(services);
        _channel = new AppChannel(connection, dialect);
        _progress = new TurnProgress(services, _channel) { Moved = done => Questions!.Moved(done) };
        Builds = (features & BindingFeatures.Builds) != 0 && from is null ? new BuildChange(services, _checkpoints, () => Ended) : null;
        var limit = new StreamedLimit(connection.Output, services.Limits, (features & BindingFeatures.Limits) != 0);
        var key = new StreamedKey(connection.Output, (features & BindingFeatures.Awakeables) != 0);
        var terms = new DeliveryTerms(position => position < ExecutedBefore, _progress.Unreported, limit, key)
        {
            // Nothing that was released before its end can be told from what comes again.
            Steps = (features & BindingFeatures.Steps) != 0 && from is null ? services.State.Poison.Suspect : null,
            Builds = Builds,
        };
        _channel.Open(services, _checkpoints, this, terms, from?.Inbox);
        _versions = new VersionExchange(services, Delivery, _checkpoints, Builds);
        _start = new AppStart(services, _channel, _checkpoints, features, Builds, _progress.DoneWith);
        Departure = new Departure(services, Delivery, _checkpoints, this);
        Questions = new AppQuestions(dialect.Converses, Delivery.Send, () => Delivery.DeliveredMessages, () => _primary);
    }

    /// <inheritdoc cref="IAppDialect.Converses"/>
    public bool Converses => Dialect.Converses;

    /// <summary>What people ask the app, which answers between records.</summary>
    public AppQuestions Questions { get; }

    /// <summary>How a clean stop ends.</summary>
    public Departure Departure { get; }

    /// <summary>Raised at each step forward of the app, and at the end of the session.</summary>
    public ContextEvent Moved => _channel.Moved;

    /// <summary>True once the session ends.</summary>
    public bool Ended => _channel.Ended;

    /// <summary>Canceled when the session ends.</summary>
    public CancellationToken Gone => _channel.Gone;

    /// <summary>The app has done all that it was given, and no checkpoint of it is under way.</summary>
    public bool IsQuiet => Done >= Delivery.Delivered && !_checkpoints.Busy;

    /// <summary>What the app said of the version of its state; "" if it said nothing.</summary>
    public string StateVersion => Delivery.Gate?.Version ?? "";

    /// <summary>What the app says of its build; null if it says nothing.</summary>
    public BuildChange? Builds { get; }

    /// <summary>What the app told last, for people.</summary>
    public AppFigures Figures { get; } = new();

    /// <summary>True while it is given nothing more.</summary>
    public bool Held
    {
        get => Delivery.Held;
        set => Delivery.Held = value;
    }

    /// <summary>Why the app said it leaves; null while it has not said so.</summary>
    public string? Farewell { get; private set; }

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done => _progress.Done;

    public bool IsPrimary => _primary;

    private LogPosition Position => _services.Position;

    private AppDelivery Delivery => _channel.Delivery;

    private IAppDialect Dialect => _channel.Dialect;

    // Something may wait for the end of this record before the app acts.
    private Lsn WaitsFor => Builds is { IsOpen: true } ? Lsn.Min(Delivery.ReplayThrough, Position.Executed) : Delivery.ReplayThrough;

    public long EscapedTurns => _channel.Inbox.EscapedTurns;

    /// <summary>True while part of a turn that has not ended was released.</summary>
    public bool EscapedOpenTurn => _channel.Inbox.EscapedOpenTurn;

    /// <summary>Every message before this one has ended its turn.</summary>
    public MessagePosition ExecutedBefore => _progress.ExecutedBefore;

    /// <summary>Last message that was written to the app.</summary>
    public MessagePosition LastDelivered => new(Delivery.Delivered.Value, Delivery.DeliveredIndex);

    /// <summary>Message whose turn the app has announced last; null if none.</summary>
    public MessagePosition? Running { get; private set; }

    /// <summary>Message whose handler threw last although nobody waits for it; null if none.</summary>
    public MessagePosition? FaultedAt { get; private set; }

    /// <summary>Answers of the app to the question whether it is there.</summary>
    public long SignsOfLife { get; private set; }

    /// <summary>The process behind the connection; null if the connection cannot know it.</summary>
    public IAppProcess? Process { get; }

    /// <summary>The connection ended by itself: the other side has gone without being asked to.</summary>
    public bool LinkLost { get; private set; }

    /// <summary>This coordinator ended the app because a handler took too long.</summary>
    public bool KilledByDeadline { get; private set; }

    /// <summary>Ends the app's process; false if that is not possible.</summary>
    public bool KillForDeadline() => KilledByDeadline = Process?.Kill() == true;

    /// <summary>Asks for a checkpoint after the next record that is delivered, or at once when the app is idle.</summary>
    public void RequestCheckpoint() => Delivery.RequestCheckpoint();

    /// <summary>Asks for a checkpoint because enough has been logged since the last one.</summary>
    public void CheckpointIsDue() => Delivery.CheckpointIsDue();

    /// <summary>Something became durable.</summary>
    public void Wake() => Delivery.Wake();

    /// <summary>A secondary has become the primary: this is where its replay ends.</summary>
    public void EndReplayAt(Lsn lsn)
    {
        _services.Check.EndAt(lsn.Value);
        Delivery.ReplayThrough = lsn;
        Delivery.Wake();
    }

    /// <summary>A message of the coordinator's own to a version 2 app, between records.</summary>
    public void Send(BindingMessageType type, byte[] data) => Delivery.Send(type, data);

    /// <summary>Runs to the end of the connection; false if it must not be followed by another attempt of this app.</summary>
    public async Task RunAsync()
    {
        _services.Latency.Reset();
        Task reading = GuardAsync(_channel.Inbox.ReadAsync);
        Task writing = GuardAsync(() => _start.RunAsync(_from));
        await Task.WhenAll(reading, writing);
        _services.Router.AppGone();
        Position.Executed = Lsn.Max(Position.Executed, _progress.Executed(EscapedOpenTurn));
        await (Departure.Leaving ?? Task.CompletedTask);
        await (Builds?.EndAsync() ?? default);
        await Delivery.EndUpgradeAsync();
    }

    /// <summary>Tells the app that another has its place: it leaves.</summary>
    public void Replace(string reason)
    {
        var data = new ArrayBufferWriter<byte>();
        new ByteWriter(data).WriteString(reason);
        Delivery.Send(BindingMessageType.Replaced, data.WrittenSpan.ToArray());
    }

    /// <summary>Ends both loops; what the app sent and was not released is dropped.</summary>
    public void End()
    {
        if (_channel.End())
        {
            (_connection as IConnection)?.Abort();
        }
    }

    public void Dispose() => _channel.Dispose();

    async ValueTask IAppEvents.CheckpointAsync(PipeReader input, long size)
    {
        if (_versions.Converts)
        {
            await ConvertedAsync(input, size);
            return;
        }

        bool first = !Position.HasCheckpoint;
        if (first)
        {
            if (_initialMessage is null)
            {
                throw new ProtocolException("the first checkpoint came before InitialMessage", 0);
            }

            await _services.State.SeedAsync(_initialMessage);
        }

        bool written = await _checkpoints.ReceiveAsync(input, size);
        if (first && !written)
        {
            // Nothing is logged before there is a checkpoint to replay from: the next app makes its first start again.
            throw new IOException("the first checkpoint could not be written");
        }

        if (first)
        {
            await _services.FirstCheckpointTakenAsync();
        }

        if (Dialect.ActsBehindCheckpoint && (first || Delivery.PrimaryAnnounced))
        {
            BecomePrimary();
        }

        Delivery.Wake();
        Moved.Pulse();
    }

    void IAppEvents.CheckpointDeclined(CheckpointDeclined answer)
    {
        if (!Position.HasCheckpoint || _versions.Converts)
        {
            throw new ProtocolException($"a checkpoint that is needed to go on was declined: {answer.Reason}", 0);
        }

        _checkpoints.Decline(answer.Reason);
        Delivery.Wake();
        Moved.Pulse();
    }

    bool IAppEvents.HasHandedOver => false;

    void IAppEvents.InitialMessage(byte[] message)
    {
        if (Position.HasCheckpoint || _initialMessage is not null)
        {
            throw new ProtocolException("InitialMessage after the first start", 0);
        }

        _initialMessage = Dialect.ToLogged(message);
        _services.Limits.RequireInitial(_initialMessage);
    }

    void IAppEvents.Progressed(Progress progress)
    {
        _progress.Ended(progress, Delivery.Delivered);
        if (_channel.Delivery.IsInSteps || _services.Check.IsBehind || (!Delivery.PrimaryAnnounced && Done >= WaitsFor))
        {
            Delivery.Wake();
        }
    }

    void IAppEvents.BecamePrimary()
    {
        if (!Delivery.PrimaryAnnounced)
        {
            throw new ProtocolException("BecomingPrimary from an app that was not told so", 0);
        }

        BecomePrimary();
    }

    void IAppEvents.RequirePrimary()
    {
        if (!_primary)
        {
            throw new ProtocolException("impulse before the app consumed BecomingPrimary", 0);
        }
    }

    // No turn that it has not been given can have sent it.
    void IAppEvents.LegacySent() => _services.Router.TurnsEnded(Delivery.Delivered.Value);

    void IAppEvents.VersionTold(StateVersion version) => _versions.Told(version);

    void IAppEvents.BuildTold(BuildCompared compared) => _versions.Told(compared);

    void IAppEvents.UpgradeFailed(UpgradeFailure failure) => _versions.Failed(failure);

    ValueTask IAppEvents.ContractToldAsync(BindingContract contract) =>
        _primary ? _services.KeepContractAsync(contract) : throw new ProtocolException("a contract before BecomingPrimary", 0);

    void IAppEvents.ShapesTold(BindingShapes shapes)
    {
        if (!_primary)
        {
            throw new ProtocolException("shapes before BecomingPrimary", 0);
        }

        _services.Shapes.Tell(shapes.Text);
    }

    void IAppEvents.EffectsWereTold(EffectsTold told) => Figures.Take(told, _primary);

    void IAppEvents.RoutinesWereTold(RoutinesTold told) => Figures.Take(told, _primary);

    void IAppEvents.Pinged(byte[] data)
    {
        Delivery.Send(BindingMessageType.PingReturn, LegacyPing.Answer(data, _services.Time.GetUtcNow()));
    }

    void IAppEvents.CheckpointWanted()
    {
        // The apps of all replicas ask at the same place in the log; a replica that is not to make it need not say so each time.
        if (_services.Checkpoints.HindranceOf(Position.Durable) is null)
        {
            Delivery.RequestCheckpoint();
        }
    }

    void IAppEvents.HandlerFaulted(byte[] data)
    {
        HandlerFault fault = HandlerFault.Read(data);
        Running = FaultedAt = new MessagePosition(fault.Lsn, (int)Math.Min(fault.Index, int.MaxValue));
        _services.HandlerFaulted(fault);
    }

    void IAppEvents.TurnIsRunning(byte[] data) => Running = TurnRunning.Read(data).Position;

    void IAppEvents.StateTold(byte[] data) => Questions.StateTold(data);

    void IAppEvents.QueryAnswered(byte[] data) => Questions.Answered(data);

    void IAppEvents.GaveSignOfLife() => SignsOfLife++;

    void IAppEvents.LeaveWanted(string reason) => Departure.Ask(reason);

    void IAppEvents.Leaving(string reason) => Farewell = reason;

    private async ValueTask ConvertedAsync(PipeReader input, long size)
    {
        await _versions.ConvertedAsync(input, size);
        if (Dialect.ActsBehindCheckpoint)
        {
            BecomePrimary();
        }

        Delivery.Wake();
    }

    private void BecomePrimary()
    {
        if (!_primary)
        {
            _primary = true;
            _services.Check.ReplayEnded();
            _services.BecamePrimary();
            Questions.Acts();
        }
    }

    private async Task GuardAsync(Func<Task> loop)
    {
        try
        {
            await loop();
            LinkLost |= !Ended;
        }
        catch (ProtocolException error)
        {
            CoreLog.AppOffended(_services.Logger, error.Message);
        }
        catch (Exception error) when (error is CheckpointGoneException or NewerCheckpointException)
        {
            CoreLog.AppBeginsAgain(_services.Logger, error.Message);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            if (!LinkLost && !Ended)
            {
                LinkLost = true; // The app has gone.
                CoreLog.AppLinkBroke(_services.Logger, error.Message);
            }
        }
        catch (OperationCanceledException)
        {
            LinkLost |= !Ended; // Else this side has ended it.
        }
        finally
        {
            End();
        }
    }
}
