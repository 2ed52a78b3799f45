using Ambrosia.CSharpBinding.Tests.Effects;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>
/// The state of an immortal with a schedule and with a saga that waits for its next attempt. Its own name and its fields stand in a kept
/// file: they are never changed.
/// </summary>
internal sealed class SavedRoutineNames
{
    public DurableSaga Saga { get; } = new("order 7", 4);

    public DurableSaga Later { get; } = new("order 8");

    public DurableTask Compensated { get; private set; }

    /// <summary>The roots of a checkpoint with a schedule and a saga, and without effects.</summary>
    public static object?[] Roots()
    {
        var runtime = new FakeSagaRuntime();
        using (runtime.Turn.Enter())
        {
            var state = new SavedRoutineNames();
            state.Saga.Add(new Compensation("", "stock", null, 8, [0x90]));
            state.Saga.Add(new Compensation("give back", "stock", null, 9, [0x91, 5]));
            state.Later.Add(new Compensation("", "", new PayEffects(), 1, [0x91, 6]));
            state.Compensated = state.Saga.Compensate();
            runtime.Calls[0].Fail(new TimeoutException("The store is closed."));
            runtime.Turn.Drain();
            var clock = new TurnClock { LogTicks = 10 };
            var schedule = new SavedSchedule("nightly", 0, 0);
            schedule.RunAt("0 3 * * *", "Europe/Vienna", clock);
            schedule.Call(5, [0x91, 7], Missed.All);
            schedule.Take(run: 20, handled: 20, leftOut: 3, next: 30, trouble: "");
            return
            [
                state, new PendingCalls(), new SavedTimers(2, [.. runtime.Timers.Pending.Values]), new FirstStart(), null,
                new SavedRoutines([schedule], runtime.Sagas.Save()),
            ];
        }
    }
}
