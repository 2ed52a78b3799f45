using Ambrosia.Coordinator.Operations;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What an app tells about its schedules and compensations (docs/internals/routines.md) is seen in the status, while it is
/// attached.</summary>
public sealed class RoutineFiguresTests
{
    private static readonly BindingHello s_hello = ScriptedApp.Hello with { Features = BindingFeatures.Routines };
    private static readonly DateTimeOffset s_next = new(2026, 1, 2, 3, 0, 0, TimeSpan.Zero);

    [Fact]
    public async Task The_status_shows_what_the_app_told_last_and_nothing_once_it_has_gone()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using (ScriptedApp app = await core.ConnectAppAsync())
        {
            await app.BecomePrimaryAsync(s_hello);
            await app.SayAsync(BindingMessageType.Routines, Told(4).Write);
            await app.SayAsync(BindingMessageType.Routines, Told(5).Write);
            await Within.Until(() => core.Status.Snapshot().App.Schedules is [{ Runs: 5 }]);
            Assert.Equal(
                new ScheduleStatus { Name = "nightly", Expression = "0 3 * * *", TimeZone = "UTC", Missed = "all", Next = s_next, Runs = 5,
                    LeftOut = 2 },
                core.Status.Snapshot().App.Schedules[0]);
            Assert.Equal(
                new CompensationStatus
                    { Saga = "order 7", Step = "refund", Left = 2, Attempts = 3, NextAttempt = s_next, LastError = "no" },
                Assert.Single(core.Status.Snapshot().App.Compensations));
        }

        await Within.Until(() => core.Status.Snapshot().App is { Schedules.Count: 0, Compensations.Count: 0 });
    }

    [Fact]
    public async Task An_app_that_does_not_act_tells_of_no_schedules()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync();
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.StartFirstAsync(s_hello);
        await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await app.SayAsync(BindingMessageType.Routines, Told(1).Write);
            await app.HearAsync(BindingMessageType.Goodbye);
        });
        Assert.Empty(core.Status.Snapshot().App.Schedules);
    }

    private static RoutinesTold Told(long runs) => new(
        [new ScheduleTold("nightly", "0 3 * * *", "UTC", "all", s_next.UtcTicks, 0, runs, 2, "")],
        [new CompensationTold("order 7", "refund", 2, 3, s_next.UtcTicks, "no")]);
}
