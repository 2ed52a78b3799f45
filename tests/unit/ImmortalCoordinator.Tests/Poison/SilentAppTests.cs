using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>
/// An idle app over TCP whose process is stopped: the system goes on acknowledging for it, and only its own answer is missing.
/// </summary>
public sealed class SilentAppTests
{
    [Fact]
    public async Task An_idle_app_that_answers_no_more_is_not_ready_until_it_does()
    {
        var tcp = new LoopbackTcp();
        await using CoreUnderTest core = await StartAsync(tcp);
        await using ScriptedApp app = await ServeAsync(tcp);
        for (int i = 0; i < 3; i++)
        {
            await app.HearAsync(BindingMessageType.Heartbeat);
            await AnswerAsync(app);
        }

        await app.HearAsync(BindingMessageType.Heartbeat);
        await Within.Until(() => core.Status.Snapshot() is { Ready: false, App.Stuck: "nothing: it gives no sign of life" });
        Assert.StartsWith("IC-1038 the app has not moved", core.Status.Snapshot().NotReadyReason, StringComparison.Ordinal);
        Assert.Contains(core.Lines.All, static line => line.Contains(
            "IC-1038 the app has nothing to execute and has not answered", StringComparison.Ordinal));
        Assert.False(core.Running.IsCompleted);

        await AnswerAsync(app);
        await Within.Until(() => core.Status.Snapshot() is { Ready: true, App.Stuck.Length: 0 });
        Assert.Contains(core.Lines.All, static line => line.Contains("The app answers again", StringComparison.Ordinal));
    }

    [Fact] // What a binding does that never answers is not known.
    public async Task An_idle_app_that_never_answered_is_asked_once_and_left_alone()
    {
        var tcp = new LoopbackTcp();
        await using CoreUnderTest core = await StartAsync(tcp);
        await using ScriptedApp app = await ServeAsync(tcp);
        await app.HearAsync(BindingMessageType.Heartbeat);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => Within.Until(() => !core.Status.Snapshot().Ready, TimeSpan.FromSeconds(3))); // Six times as long as it would have.
        Assert.Equal("", core.Status.Snapshot().App.Stuck);
    }

    [Fact] // A stopped process is seen there without asking.
    public async Task An_idle_app_whose_process_can_be_seen_is_not_asked()
    {
        var processes = new AppProcesses();
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(processes: processes, change: Hurry);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await BecomeIdleAsync(app);
        await Within.Until(() => core.Status.Snapshot().Ready);
        processes.AreStopped = true;
        await Within.Until(() => core.Status.Snapshot() is { Ready: false, App.Stuck: "nothing: its process is stopped" });
        Task<AppState> asked = core.Status.StateAsync(hashOnly: true, CancellationToken.None);
        await app.HearAsync(BindingMessageType.StateRequest, before: BindingMessageType.Heartbeat);
        Assert.False(asked.IsCompleted);
    }

    private static Task<CoreUnderTest> StartAsync(LoopbackTcp tcp) => CoreUnderTest.StartAsync(apps: tcp, change: Hurry);

    private static void Hurry(CoordinatorOptions options)
    {
        options.Heartbeat = TimeSpan.FromMilliseconds(20);
        options.Watchdog = TimeSpan.FromMilliseconds(500);
    }

    private static async Task<ScriptedApp> ServeAsync(LoopbackTcp tcp)
    {
        ScriptedApp app = await ScriptedApp.ConnectAsync(tcp, await tcp.Address);
        await BecomeIdleAsync(app);
        return app;
    }

    private static async Task BecomeIdleAsync(ScriptedApp app)
    {
        await app.BecomePrimaryAsync(PoisonedApp.Hello);
        RecordInfo record = await app.HearRecordAsync();
        await app.ReportAsync(record.Lsn, 1, complete: true);
    }

    private static Task AnswerAsync(ScriptedApp app) => app.SayAsync(BindingMessageType.Heartbeat, static _ => { });
}
