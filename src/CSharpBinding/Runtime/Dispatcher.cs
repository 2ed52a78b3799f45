using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>
/// Executes the messages of the log one after the other. A turn lasts from the start of a handler to its return or first
/// suspension, continuations that became ready included; it never waits, so nothing comes in between.
/// </summary>
internal sealed class Dispatcher(ImmortalRuntime runtime, BuildCheck? builds = null)
{
    private readonly HashSet<MessagePosition> _skipped = [];
    private RecordPart _part;
    private bool _inRecord;
    private bool _inSteps;
    private bool _wasExecuted;
    private int _marked;

    /// <summary>Messages of the present record whose turns have ended.</summary>
    public int MessagesDone => runtime.Clock.Index + 1;

    /// <summary>True when the end of a turn must be reported although nothing was sent: the coordinator waits for it.</summary>
    public bool OwesProgress => _inSteps && _inRecord && MessagesDone > _marked;

    /// <summary>A debugger sends the next record in pieces, of which this is one.</summary>
    public void ExpectPart(RecordPart part) => _part = part;

    /// <summary>A record begins.</summary>
    public void BeginRecord(in RecordInfo record)
    {
        runtime.Clock.BeginRecord(record, _part.FirstIndex);
        _inRecord = true;
        _inSteps = (record.Flags & RecordInfo.InSteps) != 0;
        _wasExecuted = builds is not null && (record.Flags & (RecordInfo.Replay | RecordInfo.Unexecuted)) == RecordInfo.Replay;
        _marked = _part.FirstIndex;
        runtime.Effects.BeginRecord(record.Lsn, _part.FirstIndex);
    }

    /// <summary>The record, or a part of it, is done: outputs of its turns may go. True if it is complete.</summary>
    public bool EndRecord()
    {
        _inRecord = false;
        bool complete = !_part.MoreFollows;
        _part = default;
        runtime.Effects.TellAsked();
        runtime.Page.MarkProgress(new Progress(runtime.Clock.Lsn, MessagesDone, complete));
        return complete;
    }

    /// <summary>Releases the outputs of the turns so far if the record is not complete.</summary>
    public void MarkPartialRecord()
    {
        if (_inRecord && MessagesDone > _marked)
        {
            _marked = MessagesDone;
            runtime.Effects.TellAsked();
            runtime.Page.MarkProgress(new Progress(runtime.Clock.Lsn, _marked, RecordComplete: false));
        }
    }

    /// <summary>A message was taken out by a logged decision: its caller is answered, it is not executed.</summary>
    public void AddSkip(ReadOnlySpan<byte> data)
    {
        _skipped.Add(MessagePosition.ReadSkip(data));
        runtime.Effects.ExpectOthers();
    }

    /// <summary>Executes the next message of the record.</summary>
    /// <exception cref="LinkClosedException">The coordinator is gone: the turn before was the last one.</exception>
    public void Execute(ReadOnlySpan<byte> data)
    {
        runtime.Writer.ThrowIfClosed(); // Here, between turns, and nowhere in them.
        TurnCulture.Pin(); // The turn before may have changed it.
        RpcHeader message = RpcHeader.Read(data);
        runtime.Clock.BeginTurn(message.MethodId, TurnCauses.Of(message));
        if (_inSteps)
        {
            // Out of this process before the handler can end it: what the kernel has taken arrives.
            runtime.Watch.Announce(message.MethodId);
        }

        if (_wasExecuted && !IsSkipped)
        {
            Compare(message);
        }

        runtime.Watch.Begin(message.MethodId);
        using TurnScope scope = runtime.Turn.Enter();
        if (message.Form != RpcForm.Call)
        {
            Resume(message);
        }
        else if (IsSkipped)
        {
            Skip(message);
        }
        else
        {
            Call(message);
        }

        runtime.Turn.Drain();
        runtime.Turn.ThrowIfEnded();
        foreach (CallRecorder unfinished in runtime.Turn.CloseRecorders() ?? [])
        {
            BindingLog.NothingTakenDown(runtime.Log, runtime.Welcome.Instance, runtime.Clock.Position.ToString(), unfinished.Advice);
        }

        runtime.EndLogScopes();
        runtime.Telemetry.Leave();
        runtime.Watch.End();
        Failpoint.Pass("B3");
    }

    // Executed once, by the build that the checkpoint names: this one must have a place for it, and do the same.
    private void Compare(in RpcHeader message)
    {
        if (message is { Form: RpcForm.Call, MethodId: ReservedMethods.EffectNote }
            && !(EffectNote.TryRead(message, out EffectNote note) && note.Kind == EffectNoteKind.GivenUp))
        {
            return; // Nothing of the app's runs.
        }

        if (message is { Form: RpcForm.Call, MethodId: ReservedMethods.ScheduleStep })
        {
            if (ScheduleStep.TryRead(message, out ScheduleStep? step) && step!.Run > 0 && runtime.Schedules.Find(step) is { } schedule)
            {
                builds!.BeforeCall(schedule.Method, runtime.Clock.Position);
            }

            return;
        }

        if (message.Form == RpcForm.Call
            && message.MethodId is not (ReservedMethods.TimerFire or ReservedMethods.EffectDone or ReservedMethods.EffectNote
                or ReservedMethods.AwakeableDone))
        {
            builds!.BeforeCall(message.MethodId, runtime.Clock.Position);
        }
        else
        {
            builds!.BeforeResume(runtime.Clock.Position);
        }
    }

    private bool IsSkipped => _skipped.Count > 0 && _skipped.Contains(runtime.Clock.Position);

    private void Call(in RpcHeader message)
    {
        if (message.MethodId == ReservedMethods.TimerFire)
        {
            FireTimer(message);
            return;
        }

        if (message.MethodId == ReservedMethods.EffectDone)
        {
            if (EffectOutcome.TryRead(message, out EffectOutcome outcome))
            {
                runtime.Effects.Apply(outcome);
            }

            return;
        }

        if (message.MethodId == ReservedMethods.EffectNote)
        {
            if (EffectNote.TryRead(message, out EffectNote note))
            {
                runtime.Effects.Take(note);
            }

            return;
        }

        if (message.MethodId == ReservedMethods.ScheduleStep)
        {
            if (ScheduleStep.TryRead(message, out ScheduleStep? step) && runtime.Schedules.Take(step!) is { } schedule)
            {
                Step(step!, schedule);
            }

            return;
        }

        if (message.MethodId == ReservedMethods.AwakeableDone)
        {
            runtime.Awakeables.Complete(message);
            return;
        }

        Handle(message);
    }

    private void Step(ScheduleStep step, SavedSchedule schedule)
    {
        if (step.Trouble.Length > 0)
        {
            BindingLog.ScheduleInTrouble(runtime.Log, runtime.Welcome.Instance, step.Name, step.Trouble);
        }

        if (step.LeftOut > 0)
        {
            BindingLog.OccurrencesLeftOut(runtime.Log, runtime.Welcome.Instance, step.LeftOut, step.Name);
        }

        if (step.Run == 0)
        {
            return;
        }

        var message = new byte[RpcHeader.LargestCall + schedule.Arguments.Length];
        int size = RpcHeader.WriteCall(message, schedule.Method, RpcKind.Fork);
        schedule.Arguments.CopyTo(message.AsSpan(size));
        runtime.Clock.Runs(schedule.Method);
        runtime.Occurrence = new Occurrence(step.Name, new DateTimeOffset(step.Run, TimeSpan.Zero), step.LeftOut);
        Handle(RpcHeader.Read(message.AsSpan(0, size + schedule.Arguments.Length)));
        runtime.Occurrence = null;
    }

    private void Handle(in RpcHeader message)
    {
        var call = new IncomingCall(runtime, message);
        runtime.Telemetry.Begin(message, call);
        try
        {
            if (message.MethodId == ReservedMethods.OnFirstStart)
            {
                // Anybody can send the reserved id; it counts once, and the immortal's own call is always the first.
                call.Complete(runtime.FirstStart.Begin() ? runtime.Immortal.InvokeOnFirstStart() : default);
            }
            else
            {
                runtime.Immortal.InvokeDispatch(ref call);
            }
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            // Thrown by the handler before its first suspension, or by the decoding of its arguments: both happen again at replay.
            runtime.Page.AbandonMessage();
            call.Fail(error);
        }
    }

    private void FireTimer(in RpcHeader message)
    {
        if (IsOfTimer(message, out long timer))
        {
            runtime.Timers.Fire(timer);
        }
    }

    // Anybody can send the reserved id, with anything behind it. What is logged is replayed, so nothing of it may end the app.
    private static bool IsOfTimer(in RpcHeader message, out long timer)
    {
        timer = 0;
        return message is { MethodId: ReservedMethods.TimerFire, Kind: RpcKind.Impulse }
            && Varint.TryReadZigZag(message.Body, out timer, out _);
    }

    private void Resume(in RpcHeader reply)
    {
        // A reply that nobody awaits (any more) is ignored, on every replica alike (docs/internals/exactly-once.md H21).
        if (!runtime.PendingCalls.TryRemove(reply.CallNumber, out IPendingCall? call))
        {
            return;
        }

        if (call is IPendingAwakeable)
        {
            runtime.PendingCalls.Return(call); // A peer that guesses its number does not know its id.
            return;
        }

        runtime.Telemetry.Replied(reply);
        Failpoint.Pass("B4");

        if (IsSkipped)
        {
            call.Fail(new RemoteException(nameof(MessageSkippedException), "The reply was taken out of the log by an operator.", ""));
            return;
        }

        try
        {
            if (reply.Form == RpcForm.Exception)
            {
                call.Fail(ExceptionCodec.Read(JsonForm.Reply(reply.Body), runtime.Exceptions));
            }
            else
            {
                call.Complete(JsonForm.Reply(reply.Body));
            }
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            call.Fail(new InvalidDataException(
                $"The reply to {runtime.Immortal.GetContract().NameOf(reply.MethodId)} cannot be decoded: {error.Message}", error));
        }
    }

    private void Skip(in RpcHeader message)
    {
        var reason = new MessageSkippedException($"The message {runtime.Clock.Position} was quarantined; it was not executed.");
        if (IsOfTimer(message, out long timer))
        {
            // Left pending, the timer would only fire again.
            runtime.Timers.Fail(timer, reason);
        }
        else if (EffectOutcome.TryRead(message, out EffectOutcome outcome))
        {
            // Left pending, it would be performed again.
            runtime.Effects.Skip(outcome.Key, reason);
        }
        else if (ScheduleStep.TryRead(message, out ScheduleStep? step))
        {
            // Left as it was, the schedule would only run it again.
            runtime.Schedules.Take(step!, runs: false);
        }
        else if (message.MethodId == ReservedMethods.OnFirstStart)
        {
            runtime.FirstStart.Begin();
        }
        else if (message.Kind == RpcKind.Async)
        {
            new IncomingCall(runtime, message).Fail(reason);
        }
    }
}
