using Ambrosia.CSharpBinding.Tests.Durable;
using Ambrosia.CSharpBinding.Tests.Effects;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>
/// The state of an immortal that holds every class of the binding which can be in a checkpoint. Its own name and its fields stand in a kept
/// file, too: they are never changed.
/// </summary>
internal sealed class SavedNames
{
    public DurableCompletion<int> Completion { get; } = new();

    public DurableCancellation Cancellation { get; } = new();

    public List<DurableTask> Tasks { get; } = [];

    public DurableTask<int[]> All { get; private set; }

    public DurableTask<DurableTask<int>> Any { get; private set; }

    public DurableTask<int> Failed { get; private set; }

    public DurableDictionary<string, int> Dictionary { get; } = new() { ["one"] = 1, ["two"] = 2 };

    public DurableSet<int> Set { get; } = [7, 5];

    public DurableList<string> List { get; } = ["first", "second"];

    /// <summary>The roots of a checkpoint with pending calls, timers and effects.</summary>
    public static object?[] Roots()
    {
        var timers = new FakeTimers();
        var turn = new Turn { Timers = timers };
        using (turn.Enter())
        {
            var state = new SavedNames();
            var calls = new PendingCalls();
            var call = new PendingCall<int, Int32Formatter>();
            var other = new VoidPendingCall();
            calls.Add(call);
            calls.Add(other);
            var origin = new CallOrigin(RpcKind.Async, 3, null, 9, 4);
            new HandlerDone(origin).Await(call.Task);
            new HandlerDone<int, Int32Formatter>(origin).Await(call.Task);
            DurableTask<int> task = state.Completion.Task;
            state.Tasks.Add(DurableTask.WhenAll(task, other.Task));
            state.Tasks.Add(DurableTask.WhenAny(task, other.Task));
            state.Tasks.Add(task.WithTimeout(TimeSpan.FromHours(1)));
            state.Tasks.Add(task.WithCancellation(state.Cancellation));
            state.All = DurableTask.WhenAll(task, call.Task);
            state.Any = DurableTask.WhenAny<int>(task, call.Task);
            state.Failed = DurableTask.FromException<int>(new RemoteException("Some.Fault", "It failed over there.", ""));
            var effects = new PayEffects { Cancellation = state.Cancellation };
            var lives = new EffectLives();
            lives.Restore(11, 12);
            var first = new FirstStart();
            first.Begin();
            return
            [
                state, calls, new SavedTimers(2, [.. timers.Pending.Values]), first,
                new SavedEffects([new PendingEffect(new EffectKey(8, 1, 0), effects, 1, [0x91, 5], 77, new VoidPendingCall())], lives),
            ];
        }
    }
}
