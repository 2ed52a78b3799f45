using System.Buffers;
using Ambrosia.Link;
using Ambrosia.Primitives.Loops;
using Ambrosia.Protocol;
using Ambrosia.Serialization;
using Ambrosia.Telemetry;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>One running immortal on one connection: its turn, tables, page and clock. A new connection makes a new one.</summary>
internal sealed class ImmortalRuntime : IEffectRuntime, ISagaRuntime, IAwakeableRuntime, IDisposable
{
    private const int WrapperBytes = 64;
    private readonly RuntimeSettings _settings;
    private readonly CancellationTokenSource _stopping = new();
    private TimerAlarm? _alarm;
    private ScheduleAlarm? _scheduleAlarm;
    private RoutineFigures? _figures;
    private EffectRunner? _runner;
    private DeclaredExceptions? _exceptions;
    private readonly ReplaySafeLogger _log;
    private readonly DurableTables _tables;
    private readonly RuntimeOutput _output;
    private volatile bool _isPrimary;

    /// <summary>Binds the immortal, which must be fresh, to a connection.</summary>
    public ImmortalRuntime(Immortal immortal, BindingWelcome welcome, Guid incarnation, LinkWriter writer, RuntimeSettings settings)
    {
        _settings = settings;
        Library = settings.Library;
        Immortal = immortal;
        Welcome = welcome;
        Writer = writer;
        Clock = new TurnClock();
        Clock.Attach(welcome.InstanceId);
        Watch = new TurnWatch(Clock, writer);
        _tables = new DurableTables(this);
        Turn = new Turn { Owner = this, Timers = Timers, Library = Library };
        _output = new RuntimeOutput(this, incarnation, settings.PageSize);
        AnnounceSelf();
        Random = new TurnRandom(Clock, () => InTurn(nameof(Random)));
        Telemetry = new CallTelemetry(this, settings.Time, settings.TraceRatio);
        _log = new ReplaySafeLogger(settings.Logger, () => IsReplaying, () => Scope);
        Faults = new FaultReporter(this, settings.OnFault);
        immortal.Bind(this);
        if ((welcome.Features & BindingFeatures.Steps) != 0)
        {
            Watch.Start(settings.Time);
        }
    }

    /// <summary>The object whose handlers run; another one behind an upgrade.</summary>
    public Immortal Immortal { get; private set; }

    public BindingWelcome Welcome { get; }

    /// <summary>
    /// Largest message that may be sent now: the coordinator's limit counts for the Outputs message around it. In a replay it may have
    /// been another (<see cref="Apply"/>).
    /// </summary>
    public long MaxMessageBytes => Welcome.MaxMessageBytes - WrapperBytes;

    /// <summary>
    /// From the next record on handlers run under these limits: those of the coordinator's life in which the record was new.
    /// </summary>
    public void Apply(HandlerLimits limits) => Page.MaxMessageBytes = limits.MaxMessageBytes - WrapperBytes;

    public LinkWriter Writer { get; }

    public TurnClock Clock { get; }

    public TurnWatch Watch { get; }

    public TimerTable Timers => _tables.Timers;

    public ScheduleTable Schedules => _tables.Schedules;

    /// <summary>The occurrence that this turn runs, if it runs one.</summary>
    public Occurrence? Occurrence { get; set; }

    public SagaTable Sagas => _tables.Sagas;

    public EffectTable Effects => _tables.Effects;

    public AwakeableTable Awakeables => _tables.Awakeables;

    public Turn Turn { get; }

    public PendingCalls PendingCalls
    {
        get => _tables.PendingCalls;
        set => _tables.PendingCalls = value;
    }

    public FirstStart FirstStart
    {
        get => _tables.FirstStart;
        set => _tables.FirstStart = value;
    }

    public OutgoingPage Page => _output.Page;

    public DestinationTable Destinations => _output.Destinations;

    public TurnDestinations TurnDestinations => _output.TurnDestinations;

    public Destination Self => _output.Self;

    public ProxyTable Proxies => _output.Proxies;

    public ImpulseWaiters Impulses => _output.Impulses;

    public CallWriter Calls => _output.Calls;

    public AnswerWriter Answers => _output.Answers;

    public FaultReporter Faults { get; }

    /// <summary>Exceptions that travel with their data.</summary>
    public DeclaredExceptions Exceptions => _exceptions ??= DeclaredExceptions.Of(Immortal.GetType());

    public Random Random { get; }

    /// <summary>Measures and traces calls while this process acts.</summary>
    public CallTelemetry Telemetry { get; }

    public ILogger Log => _log;

    /// <summary>A turn or a query is over: the scopes that its handler began on the log end.</summary>
    public void EndLogScopes() => _log.EndTurn();

    /// <summary>What stands beside each line that is logged now: the message that this thread executes, if it does.</summary>
    public MessageScope Scope => IsInQuery ? ScopeOf(Immortal.GetContract().NameOf(QueryMethod))
        : IsInTurn ? ScopeOf(Clock.Cause == TurnCause.Call ? Immortal.GetContract().NameOf(Clock.MethodId) : TurnCauses.NameOf(Clock.Cause))
        : new MessageScope(Welcome.Instance);

    /// <summary>Method of the query that is being answered.</summary>
    public int QueryMethod { get; set; }

    /// <summary>What writes and reads values of types that MessagePack-CSharp knows.</summary>
    public MessagePackLibrary Library { get; }

    /// <summary>The app's log, not silenced by replay.</summary>
    public ILogger HostLog => _settings.Logger;

    /// <summary>True until the records that were durable when this process attached have been executed.</summary>
    public bool IsReplaying => !_isPrimary;

    /// <summary>True once the coordinator made this process the one that acts.</summary>
    public bool IsPrimary => _isPrimary;

    /// <summary>True if a handler asked for a checkpoint since the last look.</summary>
    public bool CheckpointRequested { get; private set; }

    /// <summary>Stands in the turn's place while a query is answered.</summary>
    public Turn QueryTurn { get; } = new() { IsQuery = true };

    /// <summary>True on the thread that runs this immortal's turn.</summary>
    public bool IsInTurn => ReferenceEquals(Turn.Current, Turn);

    /// <summary>True on the thread that answers a query.</summary>
    public bool IsInQuery => ReferenceEquals(Turn.Current, QueryTurn);

    /// <summary>A fresh object takes the immortal's place.</summary>
    public void Become(Immortal fresh)
    {
        fresh.Bind(this);
        Immortal = fresh;
    }

    /// <summary>This, if called from a handler.</summary>
    /// <exception cref="InvalidOperationException">Called from anywhere else.</exception>
    public ImmortalRuntime InTurn(string member) => IsInTurn ? this : throw new InvalidOperationException(IsInQuery
        ? $"{member} does not work in a query, which only reads."
        : $"{member} works inside a handler only: outside of one nothing is logged, so nothing could be repeated. From other threads and "
        + $"BecomingPrimary send an impulse.");

    /// <summary>This, if called from a handler or a query.</summary>
    /// <exception cref="InvalidOperationException">Called from anywhere else.</exception>
    public ImmortalRuntime InTurnOrQuery(string member) => IsInQuery ? this : InTurn(member);

    /// <summary>See <see cref="Immortal.NewGuid"/>.</summary>
    public Guid NewGuid()
    {
        InTurn(nameof(NewGuid));
        Span<byte> bytes = stackalloc byte[32];
        Clock.Draw(bytes);
        // Version 8: a custom, here hash-based, id (RFC 9562).
        bytes[7] = (byte)((bytes[7] & 0x0F) | 0x80);
        bytes[8] = (byte)((bytes[8] & 0x3F) | 0x80);
        return new Guid(bytes[..16]);
    }

    /// <summary>See <see cref="Immortal.TakeCheckpoint"/>.</summary>
    public void RequestCheckpoint() => CheckpointRequested |= !IsReplaying;

    /// <summary>Resets <see cref="CheckpointRequested"/>.</summary>
    public bool TakeCheckpointRequest()
    {
        bool requested = CheckpointRequested;
        CheckpointRequested = false;
        return requested;
    }

    /// <summary>All earlier records were executed: from here on this process acts (docs/internals/exactly-once.md H5e, H10, H11).</summary>
    public void BecomePrimary()
    {
        _isPrimary = true;
        BindingMeter.Add(Telemetry);
        _alarm = new TimerAlarm(_settings.Time, FireTimer);
        Timers.Arm(_alarm);
        _figures = (Welcome.Features & BindingFeatures.Routines) == 0 ? null : new RoutineFigures(_settings.Time, Tell);
        _scheduleAlarm = new ScheduleAlarm(_settings.Time, _settings.TimeZones, Send, () => FireTimer(TimerAlarm.NoTimer));
        Schedules.Start(_scheduleAlarm, _figures);
        Sagas.Start(_figures);
        // What the app starts there is its own: none of it may go on in the thread that executes messages.
        SynchronizationContext? context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context is LoopSynchronizationContext ? null : context);
        TurnCulture.Set(_settings.Culture, _settings.UICulture);
        try
        {
            Immortal.InvokeBecomingPrimary(
                new ImmortalContext(Welcome.Instance, _settings.Services, _settings.Time, Welcome.Epoch, _stopping.Token));
        }
        finally
        {
            TurnCulture.Pin();
            SynchronizationContext.SetSynchronizationContext(context);
        }

        _runner = new EffectRunner(this, _settings);
        Effects.Start(_runner);
        BeginDue();
    }

    /// <summary>True if turns have left something to begin.</summary>
    public bool HasDue => Effects.HasDue || Schedules.HasChanged || Sagas.HasChanged;

    /// <summary>
    /// Begins the effects of the turns so far once the link took their progress: a message that ends the process in its turn may be
    /// quarantined. Schedules that they declared are watched.
    /// </summary>
    public void BeginDue()
    {
        Schedules.ShowChanged();
        Sagas.ShowChanged();
        if (_runner is { } runner && Effects.TakeDue() is { Length: > 0 } due)
        {
            DateTimeOffset logTime = Clock.LogTime;
            Writer.OnTaken(() => runner.Begin(due, logTime));
        }
    }

    /// <summary>True once no effect begins any more, because the app stops.</summary>
    public bool EffectsStop => _runner?.IsStopping == true;

    /// <summary>How long a clean stop waits for the effects that run.</summary>
    public TimeSpan EffectsDrain => _settings.Effects.Drain;

    /// <summary>Effects that this process has begun or is about to, ended ones included.</summary>
    public int EffectsBegun => _runner?.Begun ?? 0;

    /// <summary>
    /// No effect begins or is being performed, those that failed may wait for their next attempt; and no schedule is due.
    /// </summary>
    public bool OutsideRests => !HasDue && _runner?.IsAtRest != false && _scheduleAlarm?.IsAtRest != false;

    /// <summary>A clean stop: no effect begins any more, and those that run may end.</summary>
    public async Task DrainEffectsAsync()
    {
        if (_runner is { } runner)
        {
            await runner.DrainAsync();
            Effects.Stop();
        }
    }

    /// <summary>The process that performs effects.</summary>
    public ulong Life => _settings.Effects.Life;

    string IEffectRuntime.Build => CheckpointCodec.BuildOf(Immortal.GetType());

    void IEffectRuntime.Report(int methodId, string method, Exception error) => Faults.Report(methodId, method, error);

    DurableCell ISagaRuntime.Call(string destination, int methodId, byte[] arguments)
    {
        try
        {
            int token = Calls.BeginAsync(Destinations.Get(destination), methodId, arguments.Length);
            Page.Write(arguments);
            Page.EndMessage(token);
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            Page.AbandonMessage();
            throw;
        }

        var pending = new VoidPendingCall();
        PendingCalls.Add(pending);
        return pending;
    }

    /// <summary>The connection has ended: threads of the app are told, waiters fail.</summary>
    public void Dispose()
    {
        _isPrimary = false;
        Telemetry.Dispose();
        Watch.Dispose();
        _alarm?.Dispose();
        _scheduleAlarm?.Dispose();
        _figures?.Dispose();
        _runner?.Dispose();
        Impulses.Close();
        Page.Release();
        TellStopping();
    }

    /// <summary>Threads of the app are told that this process stops acting.</summary>
    public void TellStopping()
    {
        try
        {
            _stopping.Cancel(); // Not disposed: the app's threads may still register with its token.
        }
        catch (AggregateException error)
        {
            BindingLog.StoppingFailed(HostLog, error);
        }
    }

    private MessageScope ScopeOf(string method) => new(Welcome.Instance, Clock.Lsn, Clock.Index, method);

    private void FireTimer(long id)
    {
        Span<byte> data = stackalloc byte[RpcHeader.LargestCall + Varint.MaxSize64];
        int size = RpcHeader.WriteCall(data, ReservedMethods.TimerFire, RpcKind.Impulse);
        size += Varint.WriteZigZag(data[size..], id);
        try
        {
            _ = Writer.SubmitImpulse(Self, data[..size], always: true);
        }
        catch (LinkClosedException)
        {
            // The timer is still pending in the state: the next primary arms it again.
            BindingLog.TimerTooLate(HostLog, id);
        }
    }

    private void Send(ScheduleStep step)
    {
        try
        {
            _ = Writer.SubmitImpulse(Self, step.ToImpulse(), always: true);
        }
        catch (LinkClosedException)
        {
            // The schedule stands in the state: the next primary looks at it again.
            BindingLog.ScheduleTooLate(HostLog, step.Name);
        }
    }

    private void Tell(RoutinesTold told)
    {
        var data = new ArrayBufferWriter<byte>();
        told.Write(data);
        try
        {
            Writer.SubmitControl(BindingMessageType.Routines, data.WrittenSpan);
        }
        catch (LinkClosedException)
        {
            // The next primary tells what it has.
        }
    }

    // Once and first: both streams use it.
    private void AnnounceSelf()
    {
        Span<byte> data = stackalloc byte[Destination.LargestAnnouncement];
        Writer.EnqueueOfTurn(BindingMessageType.Destination, data[..Self.WriteAnnouncement(data, Destination.SelfIndex)]);
    }
}
