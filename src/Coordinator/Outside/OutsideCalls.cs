using System.Buffers;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Outside;

/// <summary>
/// The calls from outside that the log holds: a fold over its marks, so that every recovery and every replica comes to the same, and the
/// answers that turns gave to them. Looks at no clock (docs/internals/outside-calls.md X8).
/// </summary>
internal sealed class OutsideCalls
{
    private readonly SortedDictionary<string, OutsideCaller> _callers = new(StringComparer.Ordinal); // Equal tables have equal bytes.
    private readonly Dictionary<ulong, OutsideLine> _lines = [];
    private readonly Dictionary<ulong, OutsideCall> _calls = [];
    private int _answers;

    /// <summary>The last record whose marks are in it.</summary>
    public Lsn Through { get; private set; }

    /// <summary>Messages from outside so far: the number of the last call (X4).</summary>
    public ulong Total { get; private set; }

    /// <summary>Number of the line that is opened next.</summary>
    public ulong NextLine { get; private set; } = 1;

    /// <summary>The horizon of callers that are not told apart any more.</summary>
    public ulong CommonHorizon { get; private set; }

    /// <summary>All callers that are told apart.</summary>
    public IReadOnlyCollection<OutsideCaller> Callers => _callers.Values;

    /// <summary>All lines, by number.</summary>
    public IReadOnlyDictionary<ulong, OutsideLine> Lines => _lines;

    /// <summary>Calls that are kept.</summary>
    public int Count => _calls.Count;

    /// <summary>Calls of them whose answer is still to come.</summary>
    public int Pending => _calls.Count - _answers;

    /// <summary>Bytes of answers that are kept.</summary>
    public long AnswerBytes { get; private set; }

    /// <summary>Whether a checkpoint has nothing to say of it.</summary>
    public bool IsEmpty => Total == 0 && NextLine == 1 && CommonHorizon == 0 && _callers.Count == 0;

    /// <summary>Keys of this caller that were made up to here, and are not known, may have been forgotten.</summary>
    public ulong HorizonOf(string caller) => Math.Max(CommonHorizon, _callers.GetValueOrDefault(caller)?.Horizon ?? 0);

    /// <summary>The caller of this name; null if nothing is known of it.</summary>
    public OutsideCaller? FindCaller(string caller) => _callers.GetValueOrDefault(caller);

    /// <summary>The line of a key; null if it is not known.</summary>
    public OutsideLine? FindLine(string caller, KeyHash key) => _callers.GetValueOrDefault(caller)?.Lines.GetValueOrDefault(key);

    /// <summary>The call of this number; null if it is not kept.</summary>
    public OutsideCall? Find(ulong number) => _calls.GetValueOrDefault(number);

    /// <summary>
    /// Applies what a durable record says. One that a checkpoint holds already changes nothing: marks may reach further than the record of
    /// their checkpoint (X14).
    /// </summary>
    /// <param name="marks">What it says; null if it says nothing of calls from outside.</param>
    /// <param name="total">Messages from outside up to this record.</param>
    /// <param name="at">The record.</param>
    /// <param name="time">When it was written, in milliseconds since 1970.</param>
    public void Apply(OutsideMarks? marks, ulong total, Lsn at, ulong time)
    {
        if (at <= Through)
        {
            return;
        }

        Through = at;
        Total = Math.Max(Total, total);
        if (marks is null)
        {
            return;
        }

        foreach (OpenedLine line in marks.Lines)
        {
            Open(line, time);
        }

        foreach (LineCall call in marks.Calls)
        {
            Admit(call, at.Value, time);
        }

        // A line that is forgotten takes its calls along; the horizon rises in the same record, so that no copy of them is new again (X7).
        foreach (ulong line in marks.Forgotten)
        {
            Forget(line);
        }

        foreach (KeyHorizon horizon in marks.Horizons)
        {
            Raise(horizon);
        }
    }

    /// <summary>
    /// A turn that is released answered a call. The first answer stays (X13): others are the same, or of a replay that went another way.
    /// </summary>
    /// <param name="number">Number of the call.</param>
    /// <param name="answer">What it answered.</param>
    /// <param name="now">The time, in milliseconds since 1970.</param>
    /// <returns>Whether it is the first of a call that is kept.</returns>
    public bool Answered(ulong number, in OutsideAnswer answer, ulong now)
    {
        if (_calls.GetValueOrDefault(number) is not { Answer: null } call)
        {
            return false;
        }

        call.Answer = answer;
        call.Line.Answered = Math.Max(call.Line.Answered, now);
        CountAnswer(call, 1, answer.Bytes.Length);
        return true;
    }

    /// <summary>
    /// Adopts the answers of a checkpoint that an app begins with, for calls that have none (X15). The log is applied through the
    /// checkpoint's record before.
    /// </summary>
    /// <param name="checkpoint">What the checkpoint holds.</param>
    /// <param name="now">The time, in milliseconds since 1970.</param>
    public void TakeAnswers(OutsideCalls checkpoint, ulong now)
    {
        foreach (OutsideCall call in checkpoint._calls.Values.Where(static call => call.Answer is not null))
        {
            Answered(call.Mark.Number, call.Answer!.Value, now);
        }
    }

    /// <summary>
    /// Writes what a checkpoint of the given record needs: all marks, and the answers of turns up to this record. What a later turn has
    /// answered, it answers again (X14). Layout: varints through, total, next line, common horizon · callers (string, varint horizon) ·
    /// lines (varints caller, number since the last one's, 16 bytes key, varint born, u64 used, varint low, calls: varints n, number, LSN,
    /// message, u64 body, byte 0 pending or 1 answered, then varint turn, byte form, varint size, bytes); each list is preceded by its
    /// varint count.
    /// </summary>
    public void Write(IBufferWriter<byte> output, Lsn checkpoint)
    {
        if (checkpoint > Through)
        {
            throw new UnreachableException($"a checkpoint at {checkpoint} has calls from outside through {Through}");
        }

        var writer = new ByteWriter(output);
        writer.WriteVarint(Through.Value);
        writer.WriteVarint(Total);
        writer.WriteVarint(NextLine);
        writer.WriteVarint(CommonHorizon);
        writer.WriteVarint((ulong)_callers.Count);
        var numbers = new Dictionary<OutsideCaller, ulong>();
        foreach (OutsideCaller caller in _callers.Values)
        {
            numbers.Add(caller, (ulong)numbers.Count);
            writer.WriteString(caller.Name);
            writer.WriteVarint(caller.Horizon);
        }

        writer.WriteVarint((ulong)_lines.Count);
        ulong[] order = [.. _lines.Keys];
        Array.Sort(order);
        ulong last = 0;
        foreach (ulong number in order)
        {
            OutsideLine line = _lines[number];
            writer.WriteVarint(numbers[line.Caller]);
            writer.WriteVarint(number - last);
            last = number;
            Write(writer, line, checkpoint.Value);
        }
    }

    /// <summary>Reads what <see cref="Write(IBufferWriter{byte}, Lsn)"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static OutsideCalls Read(ref ByteReader reader)
    {
        var calls = new OutsideCalls
        {
            Through = new Lsn(reader.ReadVarint("outside through")),
            Total = reader.ReadVarint("outside total"),
            NextLine = reader.ReadVarint("outside next line"),
            CommonHorizon = reader.ReadVarint("outside common horizon"),
        };
        var callers = new List<OutsideCaller>();
        for (int n = reader.ReadCount("outside callers"); n > 0; n--)
        {
            string name = reader.ReadString(OutsideLimits.MaxCallerBytes, "outside caller");
            if (name.Length == 0 || calls._callers.ContainsKey(name))
            {
                throw new ProtocolException($"the outside caller '{name}' has no name, or stands there twice", reader.Offset);
            }

            OutsideCaller caller = calls.CallerOf(name);
            caller.Horizon = reader.ReadVarint("outside horizon");
            callers.Add(caller);
        }

        ulong last = 0;
        for (int n = reader.ReadCount("outside lines"); n > 0; n--)
        {
            int caller = reader.ReadLength(int.MaxValue, "outside line's caller");
            ulong number = last + reader.ReadVarint("outside line");
            if (caller >= callers.Count || number <= last || number >= calls.NextLine)
            {
                throw new ProtocolException($"outside line {number} of caller {caller}, of {callers.Count}, follows {last}", reader.Offset);
            }

            calls.ReadLine(ref reader, callers[caller], last = number);
        }

        OutsideLine[] lines = [.. calls._lines.Values];
        Array.Sort([.. lines.Select(static line => line.Used)], lines);
        Array.ForEach(lines, Touch);
        return calls;
    }

    private static void Write(ByteWriter writer, OutsideLine line, ulong checkpoint)
    {
        line.Key.Write(writer);
        writer.WriteVarint(line.Born);
        writer.WriteUInt64(line.Used);
        writer.WriteVarint(line.Low);
        writer.WriteVarint((ulong)line.Calls.Count);
        for (int i = 0; i < line.Calls.Count; i++)
        {
            OutsideCall call = line.Calls.GetValueAtIndex(i);
            writer.WriteVarint(call.Mark.N);
            writer.WriteVarint(call.Mark.Number);
            writer.WriteVarint(call.Lsn);
            writer.WriteVarint((ulong)call.Mark.Index);
            writer.WriteUInt64(call.Mark.Body);
            if (call.Answer is { } answer && answer.Turn <= checkpoint)
            {
                writer.WriteByte(1);
                writer.WriteVarint(answer.Turn);
                writer.WriteByte(answer.Form);
                writer.WriteVarint((ulong)answer.Bytes.Length);
                writer.WriteBytes(answer.Bytes.Span);
            }
            else
            {
                writer.WriteByte(0);
            }
        }
    }

    private void ReadLine(ref ByteReader reader, OutsideCaller caller, ulong number)
    {
        KeyHash key = KeyHash.Read(ref reader);
        var line = new OutsideLine(caller, key, number, reader.ReadVarint("outside born"))
        {
            Used = reader.ReadUInt64("outside used"), Low = reader.ReadVarint("outside low"),
        };
        if (!caller.Lines.TryAdd(key, line))
        {
            throw new ProtocolException($"the key of outside line {number} stands there twice", reader.Offset);
        }

        _lines.Add(number, line);

        for (int n = reader.ReadCount("outside calls"); n > 0; n--)
        {
            ulong of = reader.ReadVarint("outside n");
            ulong call = reader.ReadVarint("outside call");
            ulong lsn = reader.ReadVarint("outside LSN");
            int index = reader.ReadLength(int.MaxValue, "outside message");
            Keep(new OutsideCall(line, new LineCall(call, index, number, of, line.Low, reader.ReadUInt64("outside body")), lsn));
            if (reader.ReadByte("outside answered") != 0)
            {
                ulong turn = reader.ReadVarint("outside turn");
                byte form = reader.ReadByte("outside form");
                byte[] bytes = reader.ReadBytes(reader.ReadCount("outside answer"), "outside answer").ToArray();
                Answered(call, new OutsideAnswer(turn, form, bytes), now: 0);
            }
        }
    }

    private void Open(in OpenedLine mark, ulong time)
    {
        OutsideCaller caller = CallerOf(mark.Caller);
        var line = new OutsideLine(caller, mark.Key, NextLine++, mark.Born) { Used = time };
        if (!caller.Lines.TryAdd(mark.Key, line))
        {
            throw new UnreachableException(
                $"the key {mark.Key} of {mark.Caller} is opened, and is line {caller.Lines[mark.Key].Number} already");
        }

        _lines.Add(line.Number, line);
        Touch(line);
    }

    /// <summary>It is used, or may not be forgotten for now: of its caller's lines, it is the last one to be forgotten.</summary>
    public static void Touch(OutsideLine line)
    {
        if (line.Place is { } place)
        {
            line.Caller.ByUse.Remove(place);
            line.Caller.ByUse.AddLast(place);
        }
        else
        {
            line.Place = line.Caller.ByUse.AddLast(line);
        }
    }

    private void Admit(in LineCall mark, ulong lsn, ulong time)
    {
        if (!_lines.TryGetValue(mark.Line, out OutsideLine? line) || line.Calls.ContainsKey(mark.N))
        {
            throw new UnreachableException($"call {mark.N} of line {mark.Line} is admitted, and is known, or of no line");
        }

        Touch(line);
        (line.Low, line.Used) = (Math.Max(line.Low, mark.Low), time);
        while (line.Calls.Count > 0 && line.Calls.GetKeyAtIndex(0) <= line.Low)
        {
            Drop(line.Calls.GetValueAtIndex(0));
            line.Calls.RemoveAt(0);
        }

        if (mark.N > line.Low) // Else its caller said that it was done with it while it was on its way, and it runs for nobody.
        {
            Keep(new OutsideCall(line, mark, lsn));
        }
    }

    private void Keep(OutsideCall call)
    {
        if (!call.Line.Calls.TryAdd(call.Mark.N, call) || !_calls.TryAdd(call.Mark.Number, call))
        {
            throw new ProtocolException($"outside call {call.Mark.Number} stands there twice", 0);
        }

        call.Line.Caller.Calls++;
    }

    private void Forget(ulong number)
    {
        if (!_lines.Remove(number, out OutsideLine? line))
        {
            throw new UnreachableException($"line {number} is forgotten, and is not known");
        }

        line.Caller.Lines.Remove(line.Key);
        line.Caller.ByUse.Remove(line.Place!);
        for (int i = 0; i < line.Calls.Count; i++)
        {
            Drop(line.Calls.GetValueAtIndex(i));
        }
    }

    private void Drop(OutsideCall call)
    {
        _calls.Remove(call.Mark.Number);
        call.Line.Caller.Calls--;
        CountAnswer(call, call.Answer is null ? 0 : -1, -(call.Answer?.Bytes.Length ?? 0));
    }

    private void Raise(in KeyHorizon mark)
    {
        if (mark.Caller.Length == 0)
        {
            CommonHorizon = Math.Max(CommonHorizon, mark.Born);
            foreach (OutsideCaller gone in _callers.Values.Where(each => !each.HasLines && each.Horizon <= CommonHorizon).ToArray())
            {
                _callers.Remove(gone.Name);
            }

            return;
        }

        OutsideCaller caller = CallerOf(mark.Caller);
        caller.Horizon = Math.Max(caller.Horizon, mark.Born);
    }

    private OutsideCaller CallerOf(string name)
    {
        if (!_callers.TryGetValue(name, out OutsideCaller? caller))
        {
            _callers.Add(name, caller = new OutsideCaller(name));
        }

        return caller;
    }

    private void CountAnswer(OutsideCall call, int count, long bytes)
    {
        _answers += count;
        call.Line.Caller.AnswerBytes += bytes;
        AnswerBytes += bytes;
    }
}
