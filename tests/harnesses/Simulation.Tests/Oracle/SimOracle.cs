using Ambrosia.Coordinator.Outside;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// What an observer outside the system knows: everything that was ever sent and executed, read off the binding links, and what apps say of
/// their state. Asserts at every step (docs/internals/exactly-once.md D1 to D16).
/// </summary>
internal sealed partial class SimOracle(SimReport report, Action<ulong> note, Action<string>? print, Func<long> now)
{
    private readonly Dictionary<(string From, string To), Connection> _connections = [];
    private readonly Dictionary<string, InstanceHistory> _histories = [];
    private readonly Dictionary<(AppLife Life, string To), int> _lastImpulse = [];
    private readonly Dictionary<ulong, (string Instance, ulong Lsn, int Index)> _resumed = [];
    private readonly Dictionary<ulong, (string Instance, ulong Lsn, int Index)> _awaits = [];

    private readonly Dictionary<string, string> _successors = [];
    private EffectWatch? _effects;
    private OutsideWatch? _outside;

    /// <summary>Whether delays take their time.</summary>
    public DelayWatch Delays { get; } = new(report, now);

    /// <summary>What is asked of the outside, and what becomes of it.</summary>
    public EffectWatch Effects => _effects ??= new EffectWatch(report, note, Require, print);

    /// <summary>What is called from outside.</summary>
    public OutsideWatch Outside => _outside ??= new OutsideWatch(report, note, Require, print);

    public string? Violation { get; private set; }

    /// <summary>What instances keep of messages that they have dropped; null where nothing is dropped.</summary>
    public DroppedLetters? Dropped { get; set; }

    /// <summary>Receives a line for everything that is observed; null for nobody.</summary>
    public Action<string>? Print => print;

    public long Executions { get; private set; }

    /// <summary>Awaits that were begun and have not ended yet, in the newest history.</summary>
    public int OpenAwaits => _awaits.Count - _resumed.Count;

    /// <summary>
    /// The n-th replayable message of a connection was handed over; generated again it must be the same (docs/internals/exactly-once.md D1;
    /// G4).
    /// </summary>
    public void Sent(string from, string to, int number, ulong identity, MessagePosition through)
    {
        note(identity);
        print?.Invoke($"{from}: sends {to} message {number}, {identity:x}");
        if (!_connections.TryGetValue((from, to), out Connection? connection))
        {
            _connections[(from, to)] = connection = new Connection(from, to);
        }

        if (number <= connection.Sent.Count)
        {
            report.Sometimes(Sighting.MessageGeneratedAgain);
            Require(connection.Sent[number - 1] == identity, connection, number, "was generated again as another one (G4)");
            connection.Through[number - 1] = through < connection.Through[number - 1] ? through : connection.Through[number - 1];
            return;
        }

        Require(number == connection.Sent.Count + 1, connection, number, "generated, but not the one before");
        connection.Sent.Add(identity);
        connection.Through.Add(through);
        Require(History(to).Senders.TryAdd(identity, (connection, number)), connection, number,
            "looks like another one: the workload is wrong");
    }

    public void ImpulseSent(AppLife life, string to, int number, ReadOnlySpan<byte> rpc)
    {
        note((ulong)number);
        print?.Invoke($"{life.Instance}: sends {to} impulse {number}, {MessageIdentity.Of(rpc):x}");
        if (IsOfEffects(rpc))
        {
            Effects.Sent(to, MessageIdentity.Of(rpc));
        }
        else if (!IsTimer(rpc))
        {
            History(to).Impulses.TryAdd(MessageIdentity.Of(rpc), new SentImpulse(life, to, number));
        }
    }

    /// <summary>Records come with epochs and times that never go down (docs/internals/exactly-once.md D8, D11).</summary>
    public void Delivered(AppLife life, in RecordInfo record)
    {
        InstanceHistory history = History(life.Instance);
        if (record.Lsn > history.LastLsn)
        {
            Require(record.Epoch >= history.LastEpoch, life, record, $"has an epoch before {history.LastEpoch} (D8)");
            Require(record.Timestamp >= history.LastTimestamp, life, record, "has a time before its predecessor's (H10)");
            (history.LastLsn, history.LastIndex) = (record.Lsn, -1);
            (history.LastEpoch, history.LastTimestamp) = (record.Epoch, record.Timestamp);
        }
    }

    /// <summary>
    /// A message was executed: each execution of this place, ever, executes the same (G3; docs/internals/exactly-once.md D3); seen
    /// first, it is the next of its connection (G1).
    /// </summary>
    public void Executed(AppLife life, in RecordInfo record, int index, ReadOnlySpan<byte> rpc)
    {
        Executions++;
        ulong identity = MessageIdentity.Of(rpc);
        note(Bits.Mix(identity, record.Lsn));
        print?.Invoke($"{life.Instance}: executes {record.Lsn}:{index}, {identity:x}");
        InstanceHistory history = History(life.Instance);
        var execution = (identity, record.Epoch, record.Timestamp);
        if (history.Executed.TryGetValue((record.Lsn, index), out (ulong, ulong, long) before))
        {
            report.Sometimes(Sighting.MessageExecutedAgain);
            Require(before == execution, life, record,
                $"index {index} is another message than before: {before} then, {execution} now (D3)");
            return;
        }

        Require(record.Lsn == history.LastLsn && index == history.LastIndex + 1, life, record,
            $"index {index} is new, but the log was known up to {history.LastLsn}:{history.LastIndex} (D3)");
        history.LastIndex = index;
        history.LastMessageLsn = record.Lsn;
        history.Executed.Add((record.Lsn, index), execution);
        if (IsRedriven(history, identity))
        {
            return;
        }

        if (history.Senders.TryGetValue(identity, out (Connection From, int Number) sender))
        {
            SkipDropped(sender.From, sender.Number);
            Require(sender.Number == ++sender.From.Executed, sender.From, sender.Number,
                $"was executed as number {sender.From.Executed} at {record.Lsn}:{index} (G1)");
            RequireNoSuccessor(sender.From, sender.Number);
        }
        else if (IsFromOutside(rpc))
        {
            Outside.Executed(life.Instance, new MessagePosition(record.Lsn, index), rpc);
        }
        else if (IsOfEffects(rpc))
        {
            Effects.Logged(life.Instance, new MessagePosition(record.Lsn, index), identity, rpc);
        }
        else if (IsTimer(rpc))
        {
            report.Sometimes(history.Timers.Add(identity) ? Sighting.ImpulseExecuted : Sighting.TimerFiredTwice);
        }
        else
        {
            ExecutedImpulse(life, record, index, identity);
        }
    }

    /// <summary>
    /// Messages may be missing before this one if their sender has dropped them, and keeps them (docs/internals/exactly-once.md H26). That
    /// none of them is executed later follows from the order of numbers.
    /// </summary>
    private void SkipDropped(Connection connection, int number)
    {
        if (Dropped is null || number <= connection.Executed + 1)
        {
            return;
        }

        HashSet<ulong> kept = Dropped.Of(connection.From, connection.To);
        for (int skipped = connection.Executed + 1; skipped < number; skipped++)
        {
            Require(kept.Contains(connection.Sent[skipped - 1]), connection, skipped,
                "was skipped, and its sender keeps nothing of it (H26)");
        }

        report.Sometimes(Sighting.DroppedSkipped);
        connection.Executed = number - 1;
    }

    private void ExecutedImpulse(AppLife life, in RecordInfo record, int index, ulong identity)
    {
        if (!History(life.Instance).Impulses.TryGetValue(identity, out SentImpulse? impulse))
        {
            Require(false, life, record, $"index {index} was sent by nobody (G1)");
            return;
        }

        Require(!impulse.Executed, life, record, $"index {index} is an impulse that was logged before (G2)");
        impulse.Executed = true;
        report.Sometimes(Sighting.ImpulseExecuted);
        int last = _lastImpulse.GetValueOrDefault((impulse.Life, impulse.To));
        Require(impulse.Number > last, life, record, $"index {index} is impulse {impulse.Number} of its sender, {last} came before (G2)");
        _lastImpulse[(impulse.Life, impulse.To)] = impulse.Number;
    }

    /// <summary>
    /// State of an instance at a place of its log: equal in each life that was there (docs/internals/exactly-once.md D9).
    /// </summary>
    public void State(string instance, ulong lsn, int index, int what, ulong hash)
    {
        InstanceHistory history = History(instance);
        if (!history.States.TryAdd((lsn, index, what), hash))
        {
            report.Sometimes(what == 0 ? Sighting.StateCompared : Sighting.GraphCompared);
            Require(history.States[(lsn, index, what)] == hash,
                $"{instance} has two states at {lsn}:{index}, {(what == 0 ? "own" : "graph")} (D9)");
        }
    }

    /// <summary>An await began; begun again in a replay, it is the same one.</summary>
    public void Awaits(string instance, ulong lsn, int index, ulong await) => _awaits[await] = (instance, lsn, index);

    /// <summary>It ended: at one place of the log, in each execution of that.</summary>
    public void Resumed(string instance, ulong lsn, int index, ulong await, bool right)
    {
        Require(right, $"{instance}: an await was resumed at {lsn}:{index} with something else than the answer (G8)");
        Require(_awaits.ContainsKey(await), $"{instance}: an await was resumed at {lsn}:{index} that never began (G8)");
        if (!_resumed.TryAdd(await, (instance, lsn, index)))
        {
            report.Sometimes(Sighting.AwaitResumedAgain);
            Require(_resumed[await] == (instance, lsn, index),
                $"{instance}: an await was resumed at {lsn}:{index}, and before at {_resumed[await]} (G8)");
        }
    }

    public void Saved(string instance, ulong checkpoint, SavedState state)
    {
        note(checkpoint);
        print?.Invoke($"{instance}: wrote checkpoint {checkpoint:x} at {state.Lsn}");
        History(instance).Checkpoints[checkpoint] = state;
    }

    /// <summary>What a checkpoint was taken of.</summary>
    public SavedState? Find(string instance, ulong checkpoint)
    {
        print?.Invoke($"{instance}: restored from checkpoint {checkpoint:x}");
        report.Sometimes(Sighting.AppRestored);
        if (History(instance).Checkpoints.TryGetValue(checkpoint, out SavedState? saved))
        {
            return saved;
        }

        Require(false, $"{instance} was restored from a checkpoint that it never wrote");
        return null;
    }

    /// <summary>
    /// Healed and idle: everything sent was executed once, in order, per connection (G1); every await has ended; no impulse of a survivor
    /// is missing (docs/internals/exactly-once.md D2).
    /// </summary>
    public void RequireComplete(Func<AppLife, bool> survived)
    {
        foreach (Connection connection in _connections.Values.Where(connection => !_successors.ContainsKey(connection.From)))
        {
            SkipDropped(connection, connection.Sent.Count + 1);
            Require(connection.Sent.Count == connection.Executed,
                $"{connection}: {connection.Sent.Count} sent, {connection.Executed} executed (G1)");
        }

        Require(OpenAwaits == 0, $"{OpenAwaits} awaits never ended (G8)");
        Effects.RequireComplete();
        Outside.RequireComplete();
        foreach ((string instance, InstanceHistory history) in _histories)
        {
            Require(history.Quarantine.Owed.Count == 0,
                $"{instance}: dead letters {string.Join(", ", history.Quarantine.Owed)} were re-driven and never executed");
        }

        foreach ((ulong identity, SentImpulse impulse) in _histories.Values.SelectMany(history => history.Impulses))
        {
            if (!impulse.Executed)
            {
                report.Sometimes(Sighting.ImpulseLost);
            }

            bool gone = impulse.Executed || !survived(impulse.Life)
                || (Dropped?.Of(impulse.Life.Instance, impulse.To).Contains(identity) ?? false);
            Require(
                gone,
                $"{impulse.Life.Instance}->{impulse.To}: impulse {impulse.Number} was lost though neither its app nor its "
                + $"coordinator died (G2)");
        }
    }

    /// <summary>Something that only an app can see has happened.</summary>
    public void Sometimes(Sighting what) => report.Sometimes(what);

    public void Require(bool condition, string violation)
    {
        if (!condition)
        {
            Violation ??= violation;
        }
    }

    /// <summary>A sender was erased and made again: what it had sent and nobody has logged is gone with it.</summary>
    public void Erased(string from, string successor) => _successors[from] = successor;

    /// <summary>A receiver that has logged a message of a new identity takes none of those before it (docs/internals/exactly-once.md
    /// H16).</summary>
    private void RequireNoSuccessor(Connection connection, int number)
    {
        for (string? from = _successors.GetValueOrDefault(connection.From); from is not null; from = _successors.GetValueOrDefault(from))
        {
            bool logged = _connections.TryGetValue((from, connection.To), out Connection? later) && later.Executed > 0;
            Require(!logged, connection, number, $"was executed after messages of {from}, which had taken its sender's place (G1)");
        }

        if (number == 1 && _successors.ContainsValue(connection.From))
        {
            report.Sometimes(Sighting.SenderReplacedAtReceiver);
        }
    }

    private static bool IsFromOutside(ReadOnlySpan<byte> rpc) =>
        RpcHeader.Read(rpc) is { Form: RpcForm.Call, Kind: RpcKind.Async } header && header.CallerName == OutsideNames.Caller;

    private static bool IsTimer(ReadOnlySpan<byte> rpc) => RpcHeader.Read(rpc).MethodId == ReservedMethods.TimerFire;

    private static bool IsOfEffects(ReadOnlySpan<byte> rpc) =>
        RpcHeader.Read(rpc) is { Form: RpcForm.Call, MethodId: ReservedMethods.EffectDone or ReservedMethods.EffectNote };

    private InstanceHistory History(string instance)
    {
        if (!_histories.TryGetValue(instance, out InstanceHistory? history))
        {
            _histories[instance] = history = new InstanceHistory();
        }

        return history;
    }

    private void Require(bool condition, Connection connection, int number, string what)
    {
        if (!condition)
        {
            Violation ??= $"{connection} message {number} {what}";
        }
    }

    private void Require(bool condition, AppLife life, in RecordInfo record, string what)
    {
        if (!condition)
        {
            Violation ??= $"{life.Instance} record {record.Lsn} {what}";
        }
    }
}
