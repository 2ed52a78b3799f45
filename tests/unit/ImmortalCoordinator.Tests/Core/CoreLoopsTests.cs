using Ambrosia.Coordinator.Context;


namespace Ambrosia.ImmortalCoordinator.Tests.Core;

public sealed class CoreLoopsTests
{
    [Fact] // Each time that a destination accuses or claims something one is started, for as long as the instance lives.
    public async Task Loops_that_have_ended_are_forgotten_and_those_that_run_are_waited_for()
    {
        var loops = new CoreLoops(CancellationToken.None);
        var running = new TaskCompletionSource();
        loops.Start(() => running.Task);
        for (int i = 0; i < 10_000; i++)
        {
            loops.Start(static () => Task.CompletedTask);
        }

        Assert.InRange(loops.Count, 1, 200);
        Task all = loops.EndAsync();
        Assert.False(all.IsCompleted);
        running.SetResult();
        await all;
    }
}
