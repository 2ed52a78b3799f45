namespace Ambrosia.Coordinator.Outside;

/// <summary>
/// Decides on calls from outside at the primary: which are new, and what is forgotten. Beside the table it knows what is in pages that are
/// not durable yet. Single-threaded by the core's context.
/// </summary>
/// <param name="table">The calls that the log holds.</param>
/// <param name="limits">What is kept.</param>
/// <param name="since">
/// When this process began to decide, in milliseconds since 1970. An answer that a checkpoint held may have come just before.
/// </param>
internal sealed class OutsideAdmission(OutsideCalls table, OutsideLimits limits, ulong since = 0)
{
    private const int VainLooks = 4; // For each line that may be forgotten, so many others may be looked at.
    private readonly Dictionary<(string Caller, KeyHash Key, ulong N), ulong> _inFlight = []; // Number of the call.
    private readonly Dictionary<ulong, (string Caller, KeyHash Key, ulong N)> _byNumber = [];
    private readonly Dictionary<(string Caller, KeyHash Key), int> _busy = []; // Calls in flight, by line.
    private readonly Dictionary<(string Caller, KeyHash Key), (ulong Line, ulong Born)> _opening = [];
    private readonly Dictionary<string, int> _loads = new(StringComparer.Ordinal); // Calls in flight, by caller.
    private readonly HashSet<ulong> _closing = [];
    private ulong _nextLine;
    private ulong _total;

    /// <summary>Number of the last call that was admitted.</summary>
    public ulong Total => Math.Max(_total, table.Total);

    /// <summary>What is to be done with a call.</summary>
    /// <param name="request">The call.</param>
    /// <param name="now">The time, in milliseconds since 1970.</param>
    /// <param name="number">Number of the call that is known or in flight; 0 for none.</param>
    public OutsideVerdict Judge(in OutsideRequest request, ulong now, out ulong number)
    {
        number = 0;
        OutsideLine? line = table.FindLine(request.Caller, request.Key);
        if (line?.Calls.GetValueOrDefault(request.N) is { } known)
        {
            number = known.Mark.Number;
            return known.Mark.Body == request.Body && line.Born == request.Born ? OutsideVerdict.Known : OutsideVerdict.OtherBody;
        }

        if (_inFlight.TryGetValue((request.Caller, request.Key, request.N), out number))
        {
            return OutsideVerdict.InFlight; // Whether its body is another can be said once the copy is durable (X3): until then both wait.
        }

        bool opening = _opening.TryGetValue((request.Caller, request.Key), out (ulong Line, ulong Born) open);
        if (line is not null && request.N <= line.Low)
        {
            return OutsideVerdict.Acknowledged;
        }

        if (line is not null && _closing.Contains(line.Number))
        {
            return OutsideVerdict.Again;
        }

        if (line is null && !opening && IsBeyondHorizon(request.Caller, request.Born))
        {
            return OutsideVerdict.Forgotten;
        }

        if (request.Born > now + (ulong)limits.MostAhead.TotalMilliseconds)
        {
            return OutsideVerdict.Future;
        }

        if ((line?.Born ?? (opening ? open.Born : request.Born)) != request.Born)
        {
            return line is null ? OutsideVerdict.Again : OutsideVerdict.OtherBody;
        }

        return IsFull(request, line) ? OutsideVerdict.Full : OutsideVerdict.Admit;
    }

    /// <summary>What is known of a key, for a caller that only asks. <see cref="OutsideVerdict.Admit"/>: nothing.</summary>
    /// <param name="key">The key.</param>
    /// <param name="number">Number of the call that is known; 0 for none.</param>
    public OutsideVerdict Look(OutsideKey key, out ulong number)
    {
        number = 0;
        OutsideLine? line = table.FindLine(key.Caller, key.Text);
        if (line is not null && line.Born != key.Born)
        {
            return OutsideVerdict.OtherBody;
        }

        if (line?.Calls.GetValueOrDefault(key.N) is { } known)
        {
            number = known.Mark.Number;
            return OutsideVerdict.Known;
        }

        return _inFlight.ContainsKey((key.Caller, key.Text, key.N)) ? OutsideVerdict.InFlight
            : line is not null && key.N <= line.Low ? OutsideVerdict.Acknowledged
            : line is not null && _closing.Contains(line.Number) ? OutsideVerdict.Again
            : line is null && !_opening.ContainsKey((key.Caller, key.Text)) && IsBeyondHorizon(key.Caller, key.Born)
                ? OutsideVerdict.Forgotten
            : OutsideVerdict.Admit;
    }

    /// <summary>The number of a call without a key.</summary>
    public ulong AdmitWithoutKey() => _total = Total + 1;

    /// <summary>
    /// Puts a call that is new into the marks of a page. A call's own <c>low</c> may not reach the call itself (X11).
    /// </summary>
    /// <param name="request">The call.</param>
    /// <param name="marks">Marks of the page.</param>
    /// <param name="index">Which message of the page it is.</param>
    /// <returns>Number of the call.</returns>
    public ulong Admit(in OutsideRequest request, OutsideMarks marks, int index)
    {
        ulong number = _total = Total + 1;
        ulong line = table.FindLine(request.Caller, request.Key)?.Number ?? LineOf(request, marks);
        marks.Calls.Add(new LineCall(number, index, line, request.N, Math.Min(request.Low, request.N - 1), request.Body));
        _inFlight.Add((request.Caller, request.Key, request.N), number);
        _byNumber.Add(number, (request.Caller, request.Key, request.N));
        _busy[(request.Caller, request.Key)] = _busy.GetValueOrDefault((request.Caller, request.Key)) + 1;
        _loads[request.Caller] = _loads.GetValueOrDefault(request.Caller) + 1;
        return number;
    }

    /// <summary>
    /// Marks lines that may be forgotten: nothing pending, nothing in a page, idle for long enough (X9). Their horizon rises in the same
    /// record.
    /// </summary>
    /// <param name="marks">Marks of the page.</param>
    /// <param name="now">The time, in milliseconds since 1970.</param>
    /// <param name="most">How many lines at most.</param>
    /// <returns>How many there were.</returns>
    public int Forget(OutsideMarks marks, ulong now, int most)
    {
        var rising = new SortedDictionary<string, ulong>(StringComparer.Ordinal);
        foreach (OutsideLine line in MayBeForgotten(now, most))
        {
            marks.Forgotten.Add(line.Number);
            _closing.Add(line.Number);
            rising[line.Caller.Name] = Math.Max(rising.GetValueOrDefault(line.Caller.Name), line.Born);
        }

        marks.Forgotten.Sort();
        marks.Horizons.AddRange(rising.Select(static pair => new KeyHorizon(pair.Key, pair.Value)));
        if (table.Callers.Count > limits.MostCallers / 2)
        {
            JoinCommonHorizon(marks, now);
        }

        return marks.Forgotten.Count;
    }

    /// <summary>A record is durable and applied: what it admitted is known now, what it forgot is not.</summary>
    public void BecameDurable(OutsideMarks marks)
    {
        foreach (LineCall call in marks.Calls)
        {
            if (!_byNumber.Remove(call.Number, out (string Caller, KeyHash Key, ulong N) known))
            {
                continue; // Of an epoch before this one.
            }

            _inFlight.Remove(known);
            if (--_loads[known.Caller] == 0)
            {
                _loads.Remove(known.Caller);
            }

            if (--_busy[(known.Caller, known.Key)] == 0)
            {
                _busy.Remove((known.Caller, known.Key));
                _opening.Remove((known.Caller, known.Key));
            }
        }

        _closing.ExceptWith(marks.Forgotten);
    }

    // An awakeable has no horizon: it may be open for years, and a completion that runs again finds it closed (X29).
    private bool IsBeyondHorizon(string caller, ulong born) => caller != OutsideNames.Awakeables && born <= table.HorizonOf(caller);

    // Of a caller without lines nothing is kept but the horizon. One that has not risen for long enough may become that of all: every key
    // of such an age is refused anyway.
    private void JoinCommonHorizon(OutsideMarks marks, ulong now)
    {
        ulong keep = (ulong)limits.Keep.TotalMilliseconds;
        ulong[] old =
        [
            .. table.Callers.Where(caller => !caller.HasLines && caller.Horizon + keep < now && !_loads.ContainsKey(caller.Name))
                .Select(static caller => caller.Horizon),
        ];
        if (old.Length > 0 && old.Max() > table.CommonHorizon)
        {
            marks.Horizons.Add(new KeyHorizon("", old.Max()));
        }
    }

    // Of all callers' lines those that were used longest ago first. A caller's line that was looked at in vain comes last from now on, so
    // that each look is short, however many may not be forgotten.
    private List<OutsideLine> MayBeForgotten(ulong now, int most)
    {
        var found = new List<OutsideLine>();
        var vain = new List<OutsideLine>();
        var freed = new Dictionary<OutsideCaller, int>();
        var next = new PriorityQueue<LinkedListNode<OutsideLine>, ulong>();
        int average = table.Count / Math.Max(1, table.Callers.Count(static caller => caller.HasLines));
        foreach (OutsideCaller caller in table.Callers.Where(static caller => caller.HasLines))
        {
            next.Enqueue(caller.ByUse.First!, caller.ByUse.First!.Value.Used);
        }

        while (found.Count < most && vain.Count < VainLooks * most && next.TryDequeue(out LinkedListNode<OutsideLine>? place, out _))
        {
            OutsideLine line = place.Value;
            ulong keep = KeepOf(line.Caller, freed.GetValueOrDefault(line.Caller), average);
            if (now < line.Used + keep)
            {
                continue; // All others of this caller were used later, or looked at in vain since.
            }

            bool mayGo = MayForget(line, now, keep);
            (mayGo ? found : vain).Add(line);
            freed[line.Caller] = freed.GetValueOrDefault(line.Caller) + (mayGo ? Math.Max(1, line.Calls.Count) : 0);
            if (place.Next is { } later)
            {
                next.Enqueue(later, later.Value.Used);
            }
        }

        vain.ForEach(OutsideCalls.Touch);
        return found;
    }

    // How long a line is kept. While all is used up, the callers that have the most make room, although they have not used up their share.
    private ulong KeepOf(OutsideCaller caller, int freed, int average)
    {
        int calls = caller.Calls + _loads.GetValueOrDefault(caller.Name) - freed;
        bool isFull = table.Count + _inFlight.Count >= limits.MostCalls || table.AnswerBytes >= limits.MostAnswerBytes;
        bool isCrowded = calls >= limits.CallsOfOne - 1 || caller.AnswerBytes >= limits.AnswerBytesOfOne 
            || (isFull && calls >= average - (average / 16));
        return (ulong)(isCrowded ? limits.KeepLeast : limits.Keep).TotalMilliseconds;
    }

    private bool MayForget(OutsideLine line, ulong now, ulong keep)
    {
        ulong used = Math.Max(line.Used, line.Answered > 0 ? line.Answered : since);
        return now >= used + keep && !line.IsPending && !_closing.Contains(line.Number)
            && !_busy.ContainsKey((line.Caller.Name, line.Key));
    }

    // What the call itself says that its caller is done with counts first: a full line would never free itself (X12).
    private bool IsFull(in OutsideRequest request, OutsideLine? line)
    {
        ulong low = Math.Min(request.Low, request.N - 1);
        (int freed, long freedBytes) = FreedBy(low, line);
        OutsideCaller? caller = table.FindCaller(request.Caller);
        return (caller?.Calls ?? 0) + _loads.GetValueOrDefault(request.Caller) - freed >= limits.CallsOfOne
            || table.Count + _inFlight.Count - freed >= limits.MostCalls
            || table.AnswerBytes - freedBytes >= limits.MostAnswerBytes
            || (caller is null && table.Callers.Count + _opening.Count >= limits.MostCallers)
            || (caller?.AnswerBytes ?? 0) - freedBytes >= limits.AnswerBytesOfOne
            || (line?.Calls.Count ?? 0) + _busy.GetValueOrDefault((request.Caller, request.Key)) - freed >= limits.MostOfLine;
    }

    private static (int Calls, long Bytes) FreedBy(ulong low, OutsideLine? line)
    {
        int calls = 0;
        long bytes = 0;
        for (; line is not null && calls < line.Calls.Count && line.Calls.GetKeyAtIndex(calls) <= low; calls++)
        {
            bytes += line.Calls.GetValueAtIndex(calls).Answer?.Bytes.Length ?? 0;
        }

        return (calls, bytes);
    }

    private ulong LineOf(in OutsideRequest request, OutsideMarks marks)
    {
        if (_opening.TryGetValue((request.Caller, request.Key), out (ulong Line, ulong Born) open))
        {
            return open.Line;
        }

        _nextLine = Math.Max(_nextLine, table.NextLine);
        marks.Lines.Add(new OpenedLine(request.Caller, request.Key, request.Born));
        _opening.Add((request.Caller, request.Key), (_nextLine, request.Born));
        return _nextLine++;
    }
}
