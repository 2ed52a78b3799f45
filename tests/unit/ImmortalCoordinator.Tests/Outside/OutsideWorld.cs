using System.Buffers;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Outside;

/// <summary>
/// One log of calls from outside and the processes that apply it: a primary that admits and forgets, crashes that lose what is not durable,
/// checkpoints taken late, followers, callers that repeat, lie, come back late and have wrong clocks. What must hold is looked at after
/// each step.
/// </summary>
internal sealed class OutsideWorld
{
    private static readonly OutsideLimits s_limits = new()
    {
        MostCalls = 40, Shares = 3, MostAnswerBytes = 3000, MostCallers = 4, MostOfLine = 4,
        Keep = TimeSpan.FromMilliseconds(160), KeepLeast = TimeSpan.FromMilliseconds(40), MostAhead = TimeSpan.FromMilliseconds(25),
    };

    private readonly Random _random;
    private readonly List<(OutsideMarks Marks, ulong Total, ulong Time)> _log = [];
    private readonly List<(byte[] Bytes, ulong At)> _checkpoints = [];
    private readonly List<OutsideRequest> _requests = [];
    private readonly Dictionary<(string, KeyHash, ulong Born, ulong N), ulong> _logged = [];
    private readonly Dictionary<ulong, (OutsideRequest Request, ulong Time)> _byNumber = [];
    private readonly Dictionary<string, ulong> _horizons = [];
    private readonly HashSet<(string, KeyHash, ulong)> _forgotten = [];
    private OutsideCalls _table = new();
    private OutsideAdmission _admission;
    private OutsideMarks _page = new();
    private readonly List<(ulong Number, OutsideRequest Request)> _admitted = [];
    private ulong _now = 1000;
    private ulong _executed; // The last record whose turns the app has done.

    public OutsideWorld(int seed)
    {
        _random = new Random(seed);
        _admission = new OutsideAdmission(_table, s_limits);
    }

    /// <summary>How often each verdict was given.</summary>
    public Dictionary<OutsideVerdict, int> Verdicts { get; } = [];

    /// <summary>Lines that were forgotten.</summary>
    public int Forgotten { get; private set; }

    public void Run(int steps)
    {
        for (int i = 0; i < steps; i++)
        {
            _now += (ulong)_random.Next(_random.Next(20) == 0 ? 60 : 3);
            Step(_random.Next(100));
            RequireBounds(_table);
        }

        Commit();
        RequireSameEverywhere();
    }

    private void Step(int dice)
    {
        switch (dice)
        {
            case < 40:
                Receive(NewRequest());
                break;
            case < 62 when _requests.Count > 0:
                Receive(_requests[_random.Next(_requests.Count)]); // A repeat, however late.
                break;
            case < 64 when _requests.Count > 0:
                Receive(_requests[_random.Next(_requests.Count)] with { Body = 999 });
                break;
            case < 80:
                Commit();
                break;
            case < 88:
                Execute();
                break;
            case < 93:
                Forgotten += _admission.Forget(_page, _now, _random.Next(1, 5));
                break;
            case < 97 when _executed > 0:
                Checkpoint();
                break;
            case < 99:
                Crash();
                break;
            default:
                RequireSameEverywhere();
                break;
        }
    }

    private OutsideRequest NewRequest()
    {
        string caller = "abcde"[_random.Next(5)..][..1];
        bool numbered = _random.Next(2) == 0;
        KeyHash key = KeyHash.Of(numbered ? $"{caller} session {_random.Next(3)}" : $"{caller} {_random.Next()}");
        OutsideRequest[] own = [.. _requests.Where(request => request.Key == key)];
        ulong n = numbered ? (ulong)own.Length + 1 : 1;
        ulong born = own.Length > 0 ? own[0].Born : (ulong)((long)_now + _random.Next(-20, 30));
        ulong low = n > 3 && _random.Next(2) == 0 ? n - (ulong)_random.Next(1, 4) : 0;
        var made = new OutsideRequest(caller, key, born, n, low, (ulong)_random.Next(1000));
        _requests.Add(made);
        return made;
    }

    private void Receive(OutsideRequest request)
    {
        OutsideVerdict verdict = _admission.Judge(request, _now, out ulong number);
        Verdicts[verdict] = Verdicts.GetValueOrDefault(verdict) + 1;
        bool isLogged = _logged.TryGetValue(Identity(request), out ulong logged);
        switch (verdict)
        {
            case OutsideVerdict.Admit:
                Assert.False(isLogged, $"{request} is admitted again, and is call {logged}");
                _admitted.Add((_admission.Admit(request, _page, _page.Calls.Count), request));
                break;
            case OutsideVerdict.Known:
                Assert.Equal(logged, number);
                Assert.Equal(_byNumber[number].Request.Body, request.Body);
                break;
            case OutsideVerdict.OtherBody:
                // A durable call with another body, or a durable line with another time.
                Assert.Contains(_logged.Keys, known => known.Item1 == request.Caller && known.Item2 == request.Key);
                break;
            case OutsideVerdict.Forgotten:
                Assert.True(!isLogged || _forgotten.Contains((request.Caller, request.Key, request.Born)),
                    $"{request} is kept, and refused as forgotten");
                break;
            case OutsideVerdict.InFlight:
                Assert.Contains(_admitted, flying => flying.Number == number);
                break;
            default:
                break;
        }
    }

    private void Commit()
    {
        if (_page.Lines.Count + _page.Calls.Count + _page.Forgotten.Count + _page.Horizons.Count == 0)
        {
            return;
        }

        OutsideMarks page = Through(_page);
        foreach ((ulong number, OutsideRequest request) in _admitted)
        {
            Assert.True(_logged.TryAdd(Identity(request), number), $"{request} is in the log twice");
            _byNumber.Add(number, (request, _now));
        }

        foreach (ulong gone in page.Forgotten)
        {
            OutsideLine line = _table.Lines[gone];
            Assert.False(line.IsPending, $"line {gone} is forgotten, and an answer is still to come");
            Assert.True(_now >= line.Used + (ulong)s_limits.KeepLeast.TotalMilliseconds, $"line {gone} is forgotten too soon");
            Assert.DoesNotContain(page.Calls, call => call.Line == gone);
            _forgotten.Add((line.Caller.Name, line.Key, line.Born));
        }

        _log.Add((page, _admission.Total, _now));
        _table.Apply(page, _admission.Total, new Lsn((ulong)_log.Count), _now);
        _admission.BecameDurable(_page);
        _page = new OutsideMarks();
        _admitted.Clear();
        RequireKept(_table);
    }

    // The app's turns of the next records, each of which answers some calls of records before.
    private void Execute()
    {
        for (ulong last = Math.Min((ulong)_log.Count, _executed + (ulong)_random.Next(1, 4)); _executed < last;)
        {
            _executed++;
            AnswerFrom(_table, _executed);
        }
    }

    // What a turn answers depends on the log only: here, on the numbers of the calls.
    private void AnswerFrom(OutsideCalls table, ulong turn)
    {
        foreach (LineCall call in _log[(int)turn - 1].Marks.Calls)
        {
            if (call.Number % 3 > 0)
            {
                table.Answered(call.Number, AnswerTo(call.Number, turn), _now);
            }
        }

        foreach (LineCall call in turn > 4 ? _log[(int)turn - 5].Marks.Calls : [])
        {
            table.Answered(call.Number, AnswerTo(call.Number, turn), _now);
        }
    }

    private static OutsideAnswer AnswerTo(ulong number, ulong turn) => new(turn, (byte)(number % 2), new byte[number % 90]);

    private void Checkpoint()
    {
        // The marks may be further than the app, and an app that was attached anew may be behind the one that answered.
        ulong at = _executed - Math.Min(_executed, (ulong)_random.Next(4));
        var bytes = new ArrayBufferWriter<byte>();
        _table.Write(bytes, new Lsn(at));
        _checkpoints.Add((bytes.WrittenSpan.ToArray(), at));
    }

    private void Crash()
    {
        _table = Recover(out _executed);
        _admission = new OutsideAdmission(_table, s_limits);
        _page = new OutsideMarks();
        _admitted.Clear();
        RequireKept(_table);
    }

    private OutsideCalls Recover(out ulong executed)
    {
        OutsideCalls table = new();
        executed = 0;
        if (_checkpoints.Count > 0 && _random.Next(4) > 0)
        {
            (byte[] bytes, executed) = _checkpoints[_random.Next(_checkpoints.Count)];
            var reader = new ByteReader(bytes);
            table = OutsideCalls.Read(ref reader);
            reader.ExpectEnd("calls from outside");
            ulong at = executed;
            Assert.All(_byNumber.Keys.Select(table.Find), call => Assert.False(call?.Answer is { } answer && answer.Turn > at,
                "a checkpoint holds the answer of a turn behind it"));
        }

        for (ulong lsn = executed + 1; lsn <= (ulong)_log.Count; lsn++)
        {
            (OutsideMarks marks, ulong total, ulong time) = _log[(int)lsn - 1];
            table.Apply(marks, total, new Lsn(lsn), time);
        }

        return table;
    }

    private void RequireSameEverywhere()
    {
        for (; _executed < (ulong)_log.Count; AnswerFrom(_table, _executed))
        {
            _executed++;
        }

        OutsideCalls other = Recover(out ulong executed);
        for (ulong turn = executed + 1; turn <= _executed; turn++)
        {
            AnswerFrom(other, turn);
        }

        Assert.Equal(Bytes(_table), Bytes(other));
        OutsideCalls third = Recover(out _);
        third.TakeAnswers(other, _now); // Of a checkpoint, instead of making them again.
        Assert.Equal(Bytes(_table), Bytes(third));
    }

    private byte[] Bytes(OutsideCalls table)
    {
        var bytes = new ArrayBufferWriter<byte>();
        table.Write(bytes, new Lsn((ulong)_log.Count));
        return bytes.WrittenSpan.ToArray();
    }

    // Each key ever logged is in the table, or was made before the horizon, or is done with. Horizons never fall.
    private void RequireKept(OutsideCalls table)
    {
        foreach (((string caller, KeyHash key, ulong born, ulong n), ulong number) in _logged)
        {
            OutsideLine? line = table.FindLine(caller, key);
            Assert.True(table.Find(number) is not null || n <= (line?.Low ?? 0) || (line is null && born <= table.HorizonOf(caller)),
                $"call {number} of {caller} is neither kept nor refused");
        }

        foreach (string caller in _requests.Select(static request => request.Caller).Distinct())
        {
            Assert.True(table.HorizonOf(caller) >= _horizons.GetValueOrDefault(caller), "a horizon fell");
            _horizons[caller] = table.HorizonOf(caller);
        }
    }

    private static void RequireBounds(OutsideCalls table)
    {
        Assert.True(table.Count <= s_limits.MostCalls, "more calls are kept than may be");
        Assert.All(table.Callers, static caller => Assert.True(caller.Calls <= s_limits.CallsOfOne, "a caller has more than its share"));
        Assert.All(table.Lines.Values, static line => Assert.True(line.Calls.Count <= s_limits.MostOfLine, "a line holds too much"));
        Assert.Equal(table.Lines.Values.Sum(static line => line.Calls.Count), table.Count);
        Assert.Equal(
            table.Lines.Values.SelectMany(static line => line.Calls.Values).Sum(static call => (long)(call.Answer?.Bytes.Length ?? 0)),
            table.AnswerBytes);
        Assert.True(table.Callers.Count <= s_limits.MostCallers, "more callers are told apart than may be");
    }

    private static (string, KeyHash, ulong, ulong) Identity(OutsideRequest request) =>
        (request.Caller, request.Key, request.Born, request.N);

    // As the log holds them.
    private static OutsideMarks Through(OutsideMarks marks)
    {
        var bytes = new ArrayBufferWriter<byte>();
        marks.Write(bytes);
        Assert.True(bytes.WrittenCount <= marks.MaxSize, "marks are larger than was said");
        var reader = new ByteReader(bytes.WrittenSpan);
        OutsideMarks read = OutsideMarks.Read(ref reader);
        reader.ExpectEnd("marks");
        return read;
    }
}
