using System.Buffers;
using System.Text;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>
/// A checkpoint names the binding's own classes and their assembly. One is kept in the repository and read by every build: what breaks one
/// of these tests breaks somebody's instance. Where files lie is free, names in saved states are not. (AMBROSIA_GOLDEN=folder writes the
/// present one.)
/// </summary>
public sealed class GoldenStateTests
{
    private const string Kept = "Golden/names-1.bin";
    private const string KeptRoutines = "Golden/names-2.bin";
    private const string KeptAwakeables = "Golden/names-3.bin";

    // Its state machine is the application's, and one build's only; the other holds a delegate, so no state accepts it.
    private static readonly Type[] s_notKept = [typeof(DurableBox<,>), typeof(DelegateWaiter)];

    [Fact]
    public void A_kept_state_is_read_with_every_class_of_the_binding_in_it()
    {
        object?[] roots = Read(File.ReadAllBytes(Kept));
        var state = Assert.IsType<SavedNames>(roots[0]);
        var calls = Assert.IsType<PendingCalls>(roots[1]);
        Assert.Equal([1L, 2L], calls.Select(static call => call.Number));
        Assert.Single(Assert.IsType<SavedTimers>(roots[2]).Pending);
        Assert.False(Assert.IsType<FirstStart>(roots[3]).Begin());
        Assert.Equal("8:1:0", Assert.Single(Assert.IsType<SavedEffects>(roots[4]).Pending).Key.ToString());
        Assert.Equal(2, state.Dictionary["two"]);
        Assert.Equal([7, 5], state.Set);
        Assert.Equal(["first", "second"], state.List);
        Assert.Equal("It failed over there.", Assert.IsType<RemoteException>(state.Failed.Exception).Message);
        Assert.All(state.Tasks, static task => Assert.False(task.IsCompleted));
        var turn = new Turn { Timers = new Durable.FakeTimers() };
        using (turn.Enter())
        {
            state.Completion.SetResult(41);
            turn.Drain();
        }

        Assert.Equal([false, true, true, true], state.Tasks.Select(static task => task.IsCompletedSuccessfully));
    }

    [Fact]
    public void A_kept_state_is_read_with_schedules_and_a_saga_that_compensates()
    {
        object?[] roots = Read(File.ReadAllBytes(KeptRoutines));
        Assert.Null(roots[4]);
        var routines = Assert.IsType<SavedRoutines>(roots[5]);
        Schedule schedule = Assert.Single(routines.Schedules).ToSchedule();
        Assert.Equal(("nightly", "0 3 * * *", "Europe/Vienna", Missed.All, 3L, ""),
            (schedule.Name, schedule.Expression, schedule.TimeZone, schedule.Missed, schedule.LeftOut, schedule.Trouble));
        Assert.Equal((new DateTimeOffset(30, TimeSpan.Zero), new DateTimeOffset(20, TimeSpan.Zero), 1),
            (schedule.Next, schedule.Last, schedule.Runs));
        var state = Assert.IsType<SavedRoutineNames>(roots[0]);
        Assert.Equal(("order 7", 2), (state.Saga.Name, state.Saga.Count));
        Assert.Equal(("give back", 1L), (Assert.Single(routines.Sagas).ToTold().Step, routines.Sagas[0].ToTold().Attempts));
        var runtime = new FakeSagaRuntime();
        using (runtime.Turn.Enter())
        {
            Assert.Single(Assert.IsType<SavedTimers>(roots[2]).Pending).Fire();
            runtime.Turn.Drain();
            runtime.Calls[0].Complete(default);
            runtime.Turn.Drain();
            runtime.Calls[1].Complete(default);
            runtime.Turn.Drain();
        }

        Assert.Equal(["stock 9", "stock 8"], runtime.Asked);
        Assert.True(state.Compensated.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_kept_state_is_read_with_an_open_awakeable()
    {
        object?[] roots = Read(File.ReadAllBytes(KeptAwakeables));
        Awakeable<string> open = Assert.IsType<SavedAwakeableNames>(roots[0]).Open!;
        Assert.Equal(("id", "url/id", true), (open.Id, open.Url, open.IsOpen));
        var cell = Assert.IsType<AwakeableCell<string>>(Assert.Single(Assert.IsType<PendingCalls>(roots[1])));
        Assert.Equal(1, cell.Number);
        Assert.Equal(new DurableTask<string>(cell), open.Task);
    }

    [Theory]
    [InlineData(Kept)]
    [InlineData(KeptRoutines)]
    [InlineData(KeptAwakeables)]
    public void The_present_build_writes_the_same_bytes(string file)
    {
        byte[] written = Write(file switch
        {
            Kept => SavedNames.Roots(),
            KeptRoutines => SavedRoutineNames.Roots(),
            _ => SavedAwakeableNames.Roots(),
        });
        if (Environment.GetEnvironmentVariable("AMBROSIA_GOLDEN") is { Length: > 0 } folder)
        {
            File.WriteAllBytes(Path.Combine(folder, Path.GetFileName(file)), written);
        }

        byte[] kept = File.ReadAllBytes(file);
        Assert.True(kept.AsSpan().SequenceEqual(written), "A state names or lays out a class of the binding in another way.");
        Assert.True(kept.AsSpan().SequenceEqual(Write(Read(kept))), "What was read is saved differently.");
    }

    [Fact]
    public void Every_class_that_waits_in_a_state_is_in_the_kept_one()
    {
        string kept = Encoding.Latin1.GetString(
            [.. File.ReadAllBytes(Kept), .. File.ReadAllBytes(KeptRoutines), .. File.ReadAllBytes(KeptAwakeables)]);
        string[] missing =
        [
            .. typeof(Turn).Assembly.GetTypes().Where(static type => typeof(DurableWaiter).IsAssignableFrom(type) && !type.IsAbstract)
                .Except(s_notKept).Select(static type => type.FullName!).Where(name => !kept.Contains(name, StringComparison.Ordinal)),
        ];
        Assert.True(missing.Length == 0, $"Put it into {nameof(SavedNames)}, and keep one more state: {string.Join(", ", missing)}");
        Assert.Equal("Ambrosia.Runtime.DurableBox`2", typeof(DurableBox<,>).FullName);
        Assert.Equal("Ambrosia.CSharpBinding", typeof(Turn).Assembly.GetName().Name);
    }

    private static byte[] Write(IReadOnlyList<object?> roots)
    {
        var output = new ArrayBufferWriter<byte>();
        GraphWriter.Write(output, roots, Graph.Options());
        return output.WrittenSpan.ToArray();
    }

    private static object?[] Read(byte[] bytes) => GraphReader.Read(new ReadOnlySequence<byte>(bytes), [], Graph.Options());
}
