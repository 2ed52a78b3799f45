using Ambrosia;
using Ambrosia.Primitives;

namespace EndToEnd;

/// <summary>
/// The immortal under test. It notes every effect in its state and checks what it can see itself: numbers without gap or repetition for
/// each sender, locals that still point into the state after an await, values that come back.
/// </summary>
public class Node : NodeBase
{
    private readonly DurableDictionary<string, Request> _requests = [];
    private readonly DurableDictionary<string, int> _effects = [];
    private readonly DurableDictionary<string, long> _received = [];
    private readonly DurableDictionary<string, long> _sent = [];
    private readonly DurableDictionary<string, long> _lastTold = [];
    private readonly DurableDictionary<string, long> _countTold = [];
    private readonly List<string> _violations = [];
    private readonly List<byte[]> _held = [];
    private readonly DurableSet<int> _charges = [];
    private string _name = "";
    private int _firstStarts;
    private long _ended;

    public Node()
    {
    }

    /// <summary>The state of another version of the same node.</summary>
    public Node(Node other)
    {
        _requests = other._requests;
        _effects = other._effects;
        _received = other._received;
        _sent = other._sent;
        _lastTold = other._lastTold;
        _countTold = other._countTold;
        _violations = other._violations;
        _held = other._held;
        _charges = other._charges;
        _name = other._name;
        _firstStarts = other._firstStarts;
        _ended = other._ended;
    }

    public override async DurableTask<long> Submit(string id, WorkKind kind, string peer, int size)
    {
        if (!_requests.TryGetValue(id, out Request? request))
        {
            request = new Request { Id = id };
            _requests[id] = request;
        }

        request.Times++;
        Note(id, "begun");
        Expect(request.Times == 1, $"request {id} came {request.Times} times");
        long value = await Work(id, kind, peer, size);
        Expect(ReferenceEquals(request, _requests[id]), $"request {id}: the local no longer refers into the state");
        request.Ended = true;
        _ended++;
        return value;
    }

    public override DurableTask<NodeReport> Report() => new NodeReport
    {
        Version = Version,
        FirstStarts = _firstStarts,
        Begun = _requests.Count,
        Ended = _ended,
        Effects = new Dictionary<string, int>(_effects),
        Violations = [.. _violations],
        Received = new Dictionary<string, long>(_received),
        Sent = new Dictionary<string, long>(_sent),
        LastTold = new Dictionary<string, long>(_lastTold),
        CountTold = new Dictionary<string, long>(_countTold),
        Held = _held.Sum(static block => (long)block.Length),
        HeldSum = _held.Sum(static block => block.Sum(static b => (long)b)),
    };

    /// <summary>Which code acts.</summary>
    protected virtual int Version => 1;

    public override DurableTask<long> Grow(int megabytes)
    {
        for (int i = 0; i < megabytes; i++)
        {
            byte[] block = new byte[1 << 20];
            Random.NextBytes(block);
            _held.Add(block);
        }

        return _held.Count;
    }

    public override DurableTask Save()
    {
        TakeCheckpoint();
        return default;
    }

    public override async DurableTask Flood(string peer, int messages, int size)
    {
        NodeProxy target = Proxy<NodeProxy>(peer);
        byte[] bytes = new byte[size];
        for (int i = 0; i < messages; i++)
        {
            target.WaveFork(_name, Next(peer), 2, bytes);
            if (i % 16 == 0)
            {
                long back = await target.EchoAsync(_name, Next(peer), i);
                Expect(back == i, $"echo {back} instead of {i}");
            }
        }
    }

    public override DurableTask<long> Pour(string peer, int messages, int size)
    {
        NodeProxy target = Proxy<NodeProxy>(peer);
        byte[] bytes = new byte[size];
        for (int i = 0; i < messages; i++)
        {
            target.WaveFork(_name, Next(peer), 0, bytes);
        }

        return _sent[peer];
    }

    public override DurableTask Charges(int first, int count)
    {
        if (_charges.Add(first))
        {
            for (int i = first; i < first + count; i++)
            {
                This.ChargeFork(i);
            }
        }

        return default;
    }

    public override async DurableTask Charge(int customer)
    {
        string receipt = await Effects<TillEffects>().ChargeAsync(customer);
        Expect(receipt == $"paid {customer}", $"customer {customer} got the receipt '{receipt}'");
        Note($"customer{customer}", "charged");
    }

    public override DurableTask Tell(string from, long number)
    {
        long last = _lastTold.GetValueOrDefault(from);
        Expect(number > last, $"impulse {number} of {from} came after {last}");
        _lastTold[from] = number;
        _countTold[from] = _countTold.GetValueOrDefault(from) + 1;
        return default;
    }

    public override DurableTask Step(string from, long number, string id, string effect)
    {
        Came(from, number);
        Note(id, effect);
        return default;
    }

    public override DurableTask<long> Add(string from, long number, string id, string effect, long value)
    {
        Came(from, number);
        Note(id, effect);
        return value + 1;
    }

    public override async DurableTask<long> Relay(string from, long number, string id, string effect, int depth)
    {
        Came(from, number);
        Note(id, effect);
        if (depth == 0)
        {
            return 1;
        }

        Request before = _requests.GetValueOrDefault(id) ?? new Request { Id = id };
        long deeper = await Proxy<NodeProxy>(from).RelayAsync(_name, Next(from), id, $"relay{depth - 1}", depth - 1);
        Expect(before.Id == id, $"request {id}: a local changed over an await");
        return deeper + 1;
    }

    public override DurableTask<long> Fail(string from, long number, string id, string effect)
    {
        Came(from, number);
        Note(id, effect);
        throw new InvalidOperationException($"no {id}");
    }

    public override DurableTask<long> Blob(string from, long number, string id, string effect, byte[] bytes)
    {
        Came(from, number);
        Note(id, effect);
        return bytes.Sum(static b => (long)b);
    }

    public override DurableTask Wave(string from, long number, int left, byte[] bytes)
    {
        Came(from, number);
        if (left > 0)
        {
            Proxy<NodeProxy>(from).WaveFork(_name, Next(from), left - 1, bytes);
        }

        return default;
    }

    public override DurableTask<long> Echo(string from, long number, long value)
    {
        Came(from, number);
        return value;
    }

    public override DurableTask<long> Die(string id, string effect, int how)
    {
        Note(id, effect);
        // What it has sent before must not leave either.
        This.LaterFork(id, "unseen", 1);
        Poison.Take(how);
        return 5;
    }

    public override DurableTask<long> Later(string id, string effect, long value)
    {
        Note(id, effect);
        return value * 2;
    }

    protected override DurableTask OnFirstStart()
    {
        _name = InstanceName;
        _firstStarts++;
        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context) => Gate.Open(context, This, Proxy<NodeProxy>);

    private async DurableTask<long> Work(string id, WorkKind kind, string peer, int size)
    {
        NodeProxy target = Proxy<NodeProxy>(peer);
        switch (kind)
        {
            case WorkKind.Fork:
                target.StepFork(_name, Next(peer), id, "fork");
                return 1;
            case WorkKind.Await:
                return await target.AddAsync(_name, Next(peer), id, "await", 41);
            case WorkKind.Nested:
                return await target.RelayAsync(_name, Next(peer), id, "relay3", 3);
            case WorkKind.Culture:
                Note(id, Cultures.Speak());
                return 3;
            case WorkKind.Self:
                return await This.LaterAsync(id, "self", 21);
            case WorkKind.Timer:
                await Delay(TimeSpan.FromMilliseconds(size));
                target.StepFork(_name, Next(peer), id, "timer");
                return 2;
            case WorkKind.Large:
                return await SendLarge(target, id, peer, size);
            case WorkKind.Throw:
                return await Catch(target, id, peer);
            case WorkKind.Poison:
                return await Endanger(target, id, size);
            case WorkKind.All:
                return await Together(target, id, peer);
            default:
                return 0;
        }
    }

    private async DurableTask<long> SendLarge(NodeProxy target, string id, string peer, int size)
    {
        byte[] bytes = new byte[size];
        Random.NextBytes(bytes);
        long sum = bytes.Sum(static b => (long)b);
        long seen = await target.BlobAsync(_name, Next(peer), id, "large", bytes);
        Expect(seen == sum && bytes.Sum(static b => (long)b) == sum, $"request {id}: {size} bytes arrived with sum {seen}, sent {sum}");
        return seen - sum;
    }

    private async DurableTask<long> Catch(NodeProxy target, string id, string peer)
    {
        bool ended = false;
        try
        {
            await target.FailAsync(_name, Next(peer), id, "throw");
            Expect(false, $"request {id}: no exception came back");
        }
        catch (InvalidOperationException error)
        {
            Expect(error.Message == $"no {id}", $"request {id}: the exception says '{error.Message}'");
        }
        finally
        {
            ended = true;
        }

        return ended ? 3 : -1;
    }

    private static async DurableTask<long> Endanger(NodeProxy target, string id, int how)
    {
        try
        {
            return await target.DieAsync(id, "poison", how);
        }
        catch (RemoteException skipped) when (skipped.RemoteType.EndsWith(nameof(MessageSkippedException), StringComparison.Ordinal))
        {
            return -7;
        }
    }

    private async DurableTask<long> Together(NodeProxy target, string id, string peer)
    {
        long[] values = await DurableTask.WhenAll(
            target.AddAsync(_name, Next(peer), id, "all0", 10),
            This.LaterAsync(id, "all1", 10),
            target.AddAsync(_name, Next(peer), id, "all2", 30));
        Expect(values is [11, 20, 31], $"request {id}: together they gave {string.Join(',', values)}");
        return values.Sum();
    }

    private long Next(string peer) => _sent[peer] = _sent.GetValueOrDefault(peer) + 1;

    private void Came(string from, long number)
    {
        long expected = _received.GetValueOrDefault(from) + 1;
        Expect(number == expected, $"{from} sent {number}, expected {expected}: {(number < expected ? "repeated" : "lost or overtaken")}");
        _received[from] = number;
    }

    private void Note(string id, string effect)
    {
        string key = $"{id} {effect}";
        _effects[key] = _effects.GetValueOrDefault(key) + 1;
    }

    private void Expect(bool holds, string violation)
    {
        if (!holds && _violations.Count < 100)
        {
            _violations.Add(violation);
        }
    }
}
