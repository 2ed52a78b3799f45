using System.Buffers;
using System.Text;
using Ambrosia.Coordinator.Outside;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Where calls from outside enter. Callers on any thread leave them here; the core's context decides on all that wait in one go, and takes
/// those that are new into a page together. Everything but the two lists under the lock is the context's own.
/// docs/internals/outside-calls.md has the rules.
/// </summary>
/// <param name="limits">What is kept.</param>
/// <param name="largest">Bytes of the largest message that the instance takes.</param>
/// <param name="pending">Takes what is forgotten to the log.</param>
/// <param name="time">The clock of decisions; what was decided is logged.</param>
internal sealed class OutsideEntrance(OutsideLimits limits, long largest, PendingMarks pending, TimeProvider time) : IOutsideEntrance
{
    private const long MostWaitingBytes = 32L << 20;
    private const int MostForgotten = 1024;
    private readonly object _gate = new();
    private readonly WakeSignal _work = new();
    private readonly Queue<OutsideBatch> _batches = new();
    private readonly Queue<OutsideWaiter> _undurable = new(); // Those whose calls are on their way into the log, by number.
    private readonly OutsideWaiters _waiting = new();
    private readonly HashSet<OutsideWaiter> _again = []; // What they are told depends on records that are not durable yet.
    private readonly HashSet<OutsideWaiter> _unproven = []; // Told that there is no such call, once the lease is proven.
    private OutsideBatch? _filling;
    private List<OutsideWaiter> _arrived = [];
    private List<OutsideWaiter> _taken = [];
    private OutsideDoor? _door;
    private bool _refuses, _posted;
    private long _batchedBytes;
    private ulong _appended, _nextLook;
    private bool _isCrowded;

    /// <summary>What it has done.</summary>
    public OutsideFigures Figures { get; } = new();

    /// <summary>Callers that wait.</summary>
    public int Waiting => _waiting.Count + _again.Count + _unproven.Count;

    public Guid? InstanceId => Volatile.Read(ref _door)?.InstanceId;

    private ulong Now => (ulong)time.GetUtcNow().ToUnixTimeMilliseconds();

    /// <inheritdoc/>
    public Task<OutsideReply> CallAsync(OutsideSubmission call, CancellationToken stop) =>
        Enter(new OutsideWaiter(call.Key, Valid(call), untilDurable: false), stop);

    /// <inheritdoc/>
    public Task<OutsideReply> SendAsync(OutsideSubmission call, CancellationToken stop) =>
        Enter(new OutsideWaiter(call.Key, Valid(call), untilDurable: true), stop);

    /// <inheritdoc/>
    public Task<OutsideReply> LookAsync(OutsideKey key, CancellationToken stop) =>
        Enter(new OutsideWaiter(Valid(key), null, untilDurable: false), stop);

    /// <summary>Completes an awakeable that is genuine, as <see cref="CallAsync"/>; without a call, as <see cref="LookAsync"/>.</summary>
    internal Task<OutsideReply> CompleteAsync(OutsideKey key, OutsideSubmission? call, CancellationToken stop) =>
        call is not null && OutsideBatch.SizeOf(call) > largest ? throw new ArgumentException("a larger message than may be", nameof(call))
            : Enter(new OutsideWaiter(key, call, untilDurable: false), stop);

    /// <summary>This process is the primary, and the instance exists: calls are admitted from now on.</summary>
    public void Open(OutsideDoor door)
    {
        lock (_gate)
        {
            _door = door;
            _appended = door.Admission.Total;
        }

        door.Start(RunAsync);
    }

    /// <summary>
    /// The process is about to end: nothing more is admitted, and callers with a key are told to come again. Without one, the answer is
    /// still waited for.
    /// </summary>
    public void Refuse()
    {
        lock (_gate)
        {
            _refuses = true;
        }

        Take();
        _work.Set();
        foreach (OutsideWaiter waiter in _waiting.All.Concat(_again).Concat(_unproven).Where(static waiter => waiter.Key is not null))
        {
            waiter.Tell(new OutsideReply(OutsideReplyKind.Unavailable));
        }

        _unproven.Clear();
    }

    /// <summary>No answer will come any more.</summary>
    public void Close()
    {
        Refuse();
        foreach (OutsideWaiter waiter in _waiting.All)
        {
            // What no page has taken by now was never logged. Of the rest nobody here will know whether it was executed (X28).
            waiter.Tell(new OutsideReply(waiter.Number > _appended ? OutsideReplyKind.Unavailable : OutsideReplyKind.Lost));
        }

        _waiting.Clear();
    }

    /// <summary>A record of this process is durable and applied, with these marks.</summary>
    public void BecameDurable(OutsideMarks? marks)
    {
        if ((marks is null && _undurable.Count == 0) || _door is not { } door)
        {
            return;
        }

        if (marks is not null)
        {
            door.Admission.BecameDurable(marks);
        }

        while (_undurable.TryPeek(out OutsideWaiter? first) && first.Number <= door.Input.Durable.Total)
        {
            TellDurable(door, _undurable.Dequeue());
        }

        if (marks is not null && _again.Count > 0)
        {
            OutsideWaiter[] again = [.. _again];
            _again.Clear();
            Array.ForEach(again, waiter => Decide(door, waiter)); // One of another time may be new by now.
            WakeLoop();
        }
    }

    /// <summary>The turn that answers a call has ended.</summary>
    public void Answered(ulong number, OutsideAnswer answer) => _waiting.Tell(number, ReplyOf(answer));

    /// <summary>Looks now and then whether something may be forgotten, sooner while somebody has used up its share (X8).</summary>
    public void Beat()
    {
        ulong now = Now;
        if (_door is not { } door || _refuses || (now < _nextLook && !_isCrowded))
        {
            return;
        }

        (_nextLook, _isCrowded) = (now + ((ulong)limits.KeepLeast.TotalMilliseconds / 10), false);
        var marks = new OutsideMarks();
        door.Admission.Forget(marks, now, MostForgotten);
        if (!marks.IsEmpty)
        {
            pending.Add(marks);
        }
    }

    private static OutsideKey Valid(in OutsideKey key) =>
        key.N > 0 && key.Caller != OutsideNames.Awakeables
            && Encoding.UTF8.GetByteCount(key.Caller) is > 0 and <= OutsideLimits.MaxCallerBytes ? key
            : throw new ArgumentException($"call {key.N} of a caller '{key.Caller}' cannot be logged", nameof(key));

    private OutsideSubmission Valid(OutsideSubmission call)
    {
        if (call.Method < 0 || OutsideBatch.SizeOf(call) > largest)
        {
            throw new ArgumentException($"method {call.Method} cannot be called with {call.Arguments.Length} bytes", nameof(call));
        }

        return call.Key is { } key ? call with { Key = Valid(key) } : call;
    }

    private static OutsideReply ReplyOf(in OutsideAnswer answer) => new(OutsideReplyKind.Answer, answer.Form, answer.Bytes);

    private Task<OutsideReply> Enter(OutsideWaiter waiter, CancellationToken stop)
    {
        waiter.StopWith(Forget, stop);
        lock (_gate)
        {
            if (_door is null || _refuses)
            {
                waiter.Tell(new OutsideReply(OutsideReplyKind.Unavailable));
            }
            else
            {
                _arrived.Add(waiter);
                Post(_door);
            }
        }

        return waiter.Told;
    }

    // Under the lock.
    private void Post(OutsideDoor door)
    {
        if (!_posted)
        {
            _posted = true;
            door.Context.Post(static state => ((OutsideEntrance)state!).Take(), this);
        }
    }

    // All that wait, in one go.
    private void Take()
    {
        lock (_gate)
        {
            (_arrived, _taken) = (_taken, _arrived);
            _posted = false;
        }

        foreach (OutsideWaiter waiter in _taken)
        {
            if (_refuses)
            {
                waiter.Tell(new OutsideReply(OutsideReplyKind.Unavailable));
            }
            else
            {
                Decide(_door!, waiter);
            }
        }

        _taken.Clear();
        WakeLoop();
    }

    private void WakeLoop()
    {
        if (_batches.Count > 0)
        {
            _work.Set();
        }
    }

    private async Task RunAsync()
    {
        OutsideDoor door = _door!;
        while (!_refuses)
        {
            if (!_batches.TryDequeue(out OutsideBatch? batch))
            {
                await _work.WaitAsync();
                continue;
            }

            _filling = batch == _filling ? null : _filling;
            _batchedBytes -= batch.Messages.Length;
            var messages = new ReadOnlySequence<byte>(batch.Messages);
            if (await door.Pipeline.AppendAsync(
                door.Input, () => !_refuses, messages, batch.Count, 0, door.Epoch, outside: batch.Marks.IsEmpty ? null : batch.Marks))
            {
                _appended = batch.Last;
            }
        }
    }

    private void Decide(OutsideDoor door, OutsideWaiter waiter)
    {
        if (waiter.IsOver)
        {
            return;
        }

        if (waiter.Call is not { } call)
        {
            Look(door, waiter, waiter.Key!.Value);
            return;
        }

        if (_batchedBytes + OutsideBatch.SizeOf(call) > MostWaitingBytes && _batches.Count > 0)
        {
            waiter.Tell(new OutsideReply(OutsideReplyKind.Unavailable)); // The log is behind its disk, or the app far behind its log.
            return;
        }

        if (waiter.Key is not { } key)
        {
            Admit(door.Admission.AdmitWithoutKey(), waiter, BatchToFill());
            return;
        }

        var request = new OutsideRequest(key.Caller, key.Text, key.Born, key.N, key.Low, call.Body);
        OutsideVerdict verdict = door.Admission.Judge(request, Now, out ulong number);
        if (verdict == OutsideVerdict.Admit)
        {
            OutsideBatch batch = BatchToFill();
            Admit(door.Admission.Admit(request, batch.Marks, batch.Count), waiter, batch);
        }
        else
        {
            TellOrHold(door, waiter, verdict, number);
        }
    }

    private void Look(OutsideDoor door, OutsideWaiter waiter, OutsideKey key)
    {
        OutsideVerdict verdict = door.Admission.Look(key, out ulong number);
        if (verdict == OutsideVerdict.Admit)
        {
            door.Start(() => TellUnknownAsync(door, waiter, key));
        }
        else
        {
            TellOrHold(door, waiter, verdict, number);
        }
    }

    // Of a call that is not new.
    private void TellOrHold(OutsideDoor door, OutsideWaiter waiter, OutsideVerdict verdict, ulong number)
    {
        switch (verdict)
        {
            case OutsideVerdict.Known:
                TellKnown(door.Table.Find(number)!, waiter);
                break;
            case OutsideVerdict.InFlight or OutsideVerdict.Again:
                _again.Add(waiter);
                break;
            default:
                _isCrowded |= verdict == OutsideVerdict.Full;
                waiter.Tell(OutsideReply.Of(verdict));
                break;
        }
    }

    // A later primary may have admitted it: that there is none is proven after looking (X19).
    private async Task TellUnknownAsync(OutsideDoor door, OutsideWaiter waiter, OutsideKey key)
    {
        _unproven.Add(waiter);
        await door.VerifyLease();
        if (!_unproven.Remove(waiter))
        {
            return;
        }

        if (door.Admission.Look(key, out _) == OutsideVerdict.Admit)
        {
            waiter.Tell(new OutsideReply(OutsideReplyKind.Unknown));
        }
        else
        {
            Decide(door, waiter);
        }
    }

    private OutsideBatch BatchToFill()
    {
        if (_filling is not { IsFull: false })
        {
            _batches.Enqueue(_filling = new OutsideBatch());
        }

        return _filling;
    }

    private void Admit(ulong number, OutsideWaiter waiter, OutsideBatch batch)
    {
        int before = batch.Messages.Length;
        batch.Add(number, waiter.Call!);
        _batchedBytes += batch.Messages.Length - before;
        Figures.Admitted++;
        waiter.Number = number;
        _undurable.Enqueue(waiter);
        _waiting.Add(waiter);
    }

    private void TellKnown(OutsideCall call, OutsideWaiter waiter)
    {
        Figures.Repeated += waiter.Call is null ? 0 : 1;
        waiter.Number = call.Mark.Number;
        call.Line.Answered = Math.Max(call.Line.Answered, Now); // Somebody asks for it: it is not idle.
        if (call.Answer is { } answer)
        {
            waiter.Tell(ReplyOf(answer));
        }
        else if (waiter.BecameDurable())
        {
            _waiting.Add(waiter);
        }
    }

    // A call that its caller was done with before it was durable is not kept: then that is what it is told.
    private void TellDurable(OutsideDoor door, OutsideWaiter waiter)
    {
        if (waiter.Key is not null && door.Table.Find(waiter.Number) is null)
        {
            _waiting.Remove(waiter);
            Decide(door, waiter);
        }
        else if (!waiter.BecameDurable())
        {
            _waiting.Remove(waiter);
        }
    }

    // On the thread that cancels.
    private void Forget(OutsideWaiter waiter)
    {
        lock (_gate)
        {
            if (_door is { } door && !_refuses)
            {
                door.Context.Post(_ => Remove(waiter), null);
            }
        }
    }

    private void Remove(OutsideWaiter waiter)
    {
        _waiting.Remove(waiter);
        _again.Remove(waiter);
        _unproven.Remove(waiter);
    }
}
