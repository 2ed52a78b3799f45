using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// One incarnation of an app as seen at its link, whatever binding it has: which records it was given, and which messages it sent as the
/// how-manieth to whom. The numbers survive it through its checkpoints.
/// </summary>
internal sealed class AppLife(SimOracle oracle, string instance, int? replica, VirtualProcess coordinatorLife, Func<bool> follows,
    long maxTurnBytes, Func<ulong> durable)
{
    private readonly Dictionary<ulong, string> _destinations = [];
    private readonly List<(string To, int Number, ulong Identity)> _unended = [];
    private readonly List<(long Number, ulong Identity)> _answers = []; // To calls from outside: they leave when their turn has ended.
    private readonly HashSet<MessagePosition> _told = [];
    private readonly MessagePosition[] _mustBeTold = oracle.Skips(instance);
    private readonly Queue<(MessagePosition At, ulong State)> _states = new();
    private long _unendedBytes;
    private bool _begun;
    private Dictionary<string, int> _sent = [];
    private RecordInfo _record;
    private int _index;
    private int _impulses;

    public string Instance => instance;

    /// <summary>The number of its replica; null for an instance that has none.</summary>
    public int? Replica => replica;

    private SimOracle Oracle => oracle;

    /// <summary>The coordinator's process that this app is attached to.</summary>
    public VirtualProcess CoordinatorLife => coordinatorLife;

    public IStreamObserver FromCoordinator => new Incoming(this);

    public IStreamObserver FromApp => new Outgoing(this);

    /// <summary>What its coordinator has read, and acted on, of what it sent: the rest is gone with it.</summary>
    public IStreamObserver ReadByCoordinator => new Reported(this);

    /// <summary>The last record whose turns have all been announced as ended.</summary>
    public ulong DoneLsn { get; private set; }

    /// <summary>The last message whose turn has been announced as ended, or that the state which it began with contains.</summary>
    public MessagePosition ReportedThrough { get; private set; }

    /// <summary>Called with each outcome of an effect that it is given.</summary>
    public Action<byte[]>? OutcomeGiven { get; set; }

    /// <summary>
    /// The last record that is durable, as a coordinator of its replica knows or knew: it may be attached to the next one, or have yet
    /// to notice that its own has ended.
    /// </summary>
    public ulong DurableLsn => durable();

    /// <summary>It has told its coordinator that it acts.</summary>
    public bool ActsAsPrimary { get; private set; }

    /// <summary>The versions that have made its state.</summary>
    public Lineage Lineage { get; private set; } = Lineage.First;

    /// <summary>Its state was converted behind what it has executed.</summary>
    public void BecomesVersion(int version) => Lineage = Lineage.With(Math.Max(_record.Lsn, _restoredAt), version);

    private bool _ended;
    private ulong _decided = ulong.MaxValue; // The first record with a message that was taken out without its knowing.
    private bool _isGivenBeyond; // What it is given, what it executes, and what it sends come there one after the other.
    private bool _isBeyond;
    private bool _hasSentBeyond;

    /// <summary>Whatever it still does is seen by nobody: its process is dead, or its connection is being ended because of a decision that
    /// it does not know, and whose message it has come to.</summary>
    public bool IsDeaf => _ended || _isBeyond;

    /// <summary>From here on nobody sees what it does.</summary>
    public void Deafen() => _ended = true;

    /// <summary>It begins with a record.</summary>
    public void Reaches(ulong lsn) => _isBeyond |= lsn >= _decided;

    /// <summary>Who is told by the app itself what it does.</summary>
    public SimOracle Listener => IsDeaf ? oracle.Deaf : oracle;

    /// <summary>A message was taken out: a life that is at work without knowing it is being ended. What it does before that message is done
    /// as by all others; it may have taken a checkpoint there.</summary>
    public void Learn(MessagePosition skip)
    {
        if (!_ended && coordinatorLife.Alive)
        {
            RequireWithout(skip);
        }

        if (!_ended && _begun && !_told.Contains(skip) && skip.Lsn > _restoredAt)
        {
            _decided = Math.Min(_decided, skip.Lsn);
            Reaches(_record.Lsn);
            if (follows())
            {
                oracle.Sometimes(Sighting.SecondaryWasBehindDecision);
            }
        }
    }

    private ulong _restoredAt;
    private IReadOnlySet<MessagePosition> _without = new HashSet<MessagePosition>(); // What the state that it began with was made without.

    private void Sent(string to, ReadOnlySpan<byte> rpc) =>
        _unended.Add((to, _sent[to] = _sent.GetValueOrDefault(to) + 1, MessageIdentity.Of(rpc)));

    /// <summary>Nothing of a turn leaves before it has ended: only then does it count as sent.</summary>
    private void Ended(MessagePosition through)
    {
        foreach ((string to, int number, ulong identity) in _unended)
        {
            oracle.Sent(instance, to, number, identity, through);
        }

        _unended.Clear();
        _unendedBytes = 0;
    }

    private void Answers()
    {
        _answers.ForEach(answer => oracle.Outside.Answered(instance, answer.Number, answer.Identity));
        _answers.Clear();
    }

    /// <summary>Unless it is too large to be held: then what there is of it leaves at once.</summary>
    private void Escape(long bytes)
    {
        _unendedBytes += bytes;
        if (_unendedBytes > maxTurnBytes)
        {
            Ended(default);
        }
    }

    private void Begin()
    {
        if (_begun)
        {
            return;
        }

        _begun = true;
        // A secondary may not have read the decision yet; when it has, it ends the app, of which nothing can be seen until then.
        oracle.Require(follows() || Array.TrueForAll(_mustBeTold, skip => skip.Lsn <= _restoredAt || _told.Contains(skip)),
            $"{instance}: an app was not told what had been quarantined");
        foreach (MessagePosition skip in oracle.Skips(instance).Where(skip => skip.Lsn > _restoredAt && !_told.Contains(skip)))
        {
            _decided = Math.Min(_decided, skip.Lsn);
        }
    }

    private void Restored(ulong checkpoint)
    {
        if (oracle.Find(instance, checkpoint) is { } saved)
        {
            (_sent, DoneLsn) = (new Dictionary<string, int>(saved.Sent), saved.Lsn);
            _restoredAt = saved.Lsn;
            ReportedThrough = new MessagePosition(saved.Lsn, int.MaxValue);
            _without = saved.Without;
            Lineage = saved.Lineage;
            Array.ForEach(oracle.Skips(instance), RequireWithout);
        }
    }

    /// <summary>The state that it began with must not be one in which a message was executed that is out.</summary>
    private void RequireWithout(MessagePosition skip) => oracle.Require(
        skip.Lsn > _restoredAt || _without.Contains(skip),
        $"{instance}: an app was restored from a checkpoint at {_restoredAt} that contains {skip}, which was quarantined");

    private void Executed(ReadOnlySpan<byte> rpc) => oracle.Executed(this, _record, _index++, rpc);

    private void TakeRun(ReadOnlySpan<byte> data, bool impulses)
    {
        var reader = new ByteReader(data);
        string to = _destinations[reader.ReadVarint("destination")];
        reader.ReadVarint("count");
        var scanner = new MessageScanner(reader.Rest);
        while (scanner.MoveNext())
        {
            if (impulses)
            {
                oracle.ImpulseSent(this, to, ++_impulses, scanner.Data);
            }
            else if (to == OutsideNames.Caller)
            {
                RpcHeader answer = RpcHeader.Read(scanner.Data);
                _answers.Add((answer.CallNumber, OutsideWatch.IdentityOf(answer.Form, answer.Body)));
            }
            else
            {
                Sent(to, scanner.Data);
            }
        }

        if (!impulses)
        {
            Escape(reader.Rest.Length);
        }
    }

    /// <summary>
    /// It came to a state that counts once its coordinator knows: another build may execute what this one took with it when it died.
    /// </summary>
    public void ComesTo(MessagePosition at, ulong state)
    {
        if (!IsDeaf)
        {
            _states.Enqueue((at, state));
        }
    }

    private void IsKnownThrough(MessagePosition at)
    {
        while (_states.TryPeek(out (MessagePosition At, ulong State) known) && known.At.CompareTo(at) <= 0)
        {
            oracle.State(instance, known.At.Lsn, known.At.Index, 0, known.State);
            _states.Dequeue();
        }
    }

    private sealed class Reported(AppLife life) : IStreamObserver
    {
        public void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data)
        {
            if (type == BindingMessageType.Progress)
            {
                Progress progress = Progress.Read(data);
                life.IsKnownThrough(new MessagePosition(progress.Lsn, progress.MessagesDone));
            }
        }

        public void OnCheckpoint(ulong hash)
        {
        }
    }

    private sealed class Incoming(AppLife life) : IStreamObserver
    {
        public void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data)
        {
            if (type is BindingMessageType.RecordInfo or BindingMessageType.BecomingPrimary)
            {
                life.Begin();
            }

            life._isGivenBeyond |= (type == BindingMessageType.RecordInfo ? RecordInfo.Read(data).Lsn : life._record.Lsn) >= life._decided;
            if (life._ended || life._isGivenBeyond)
            {
                return;
            }

            switch (type)
            {
                case BindingMessageType.Skip:
                    MessagePosition skip = MessagePosition.ReadSkip(data);
                    life.Oracle.Require(!life._begun, $"{life.Instance}: an app was told of {skip} after its first record");
                    life._told.Add(skip);
                    life.Oracle.SkipTold(life.Instance, skip);
                    break;
                case BindingMessageType.RecordInfo:
                    life._record = RecordInfo.Read(data);
                    life._index = 0;
                    life.Oracle.Delivered(life, life._record);
                    break;
                case BindingMessageType.Rpc:
                    life.Executed(data);
                    if (life.OutcomeGiven is { } given
                        && RpcHeader.Read(data) is { Form: RpcForm.Call, MethodId: ReservedMethods.EffectDone })
                    {
                        given(data.ToArray());
                    }

                    break;
                default:
                    break;
            }
        }

        public void OnCheckpoint(ulong hash)
        {
            if (!life._ended)
            {
                life.Restored(hash);
            }
        }
    }

    private sealed class Outgoing(AppLife life) : IStreamObserver
    {
        public void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data)
        {
            life._hasSentBeyond |= type == BindingMessageType.Progress && Progress.Read(data).Lsn >= life._decided;
            if (life._ended || life._hasSentBeyond)
            {
                return;
            }

            switch (type)
            {
                case BindingMessageType.Destination:
                    DestinationName destination = DestinationName.Read(data);
                    life._destinations[destination.Index] = destination.Name.Length == 0 ? life.Instance : destination.Name;
                    break;
                case BindingMessageType.InitialMessage:
                    var scanner = new MessageScanner(data);
                    scanner.MoveNext();
                    life.Sent(life.Instance, scanner.Data);
                    life.Ended(default);
                    break;
                case BindingMessageType.Outputs:
                    life.TakeRun(data, impulses: false);
                    break;
                case BindingMessageType.Impulses:
                    life.TakeRun(data, impulses: true);
                    break;
                case BindingMessageType.Progress:
                    Progress progress = Progress.Read(data);
                    life.DoneLsn = progress.RecordComplete ? progress.Lsn : life.DoneLsn;
                    life.ReportedThrough = new MessagePosition(
                        progress.Lsn, progress.RecordComplete ? int.MaxValue : progress.MessagesDone - 1);
                    life.Ended(life.ReportedThrough);
                    life.Answers();
                    break;
                case BindingMessageType.BecomingPrimary:
                    life.ActsAsPrimary = true;
                    life.Oracle.Acts(life);
                    break;
                default:
                    break;
            }
        }

        public void OnCheckpoint(ulong hash)
        {
            if (!life._ended && !life._hasSentBeyond)
            {
                life.Oracle.Saved(life.Instance, hash, new SavedState(new Dictionary<string, int>(life._sent), life.DoneLsn,
                    new HashSet<MessagePosition>([.. life._without, .. life._told]), life.Lineage));
            }
        }
    }
}
