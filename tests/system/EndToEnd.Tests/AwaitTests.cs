using System.Diagnostics;
using System.Globalization;
using Ambrosia.EndToEnd.Tests.Driving;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>G8: a handler suspended at an await is part of the checkpoint.</summary>
public sealed class AwaitTests(ITestOutputHelper output)
{
    private static readonly WorkKind[] s_kinds = [WorkKind.Await, WorkKind.Nested, WorkKind.All, WorkKind.Throw, WorkKind.Large];

    [Fact]
    public async Task An_await_whose_process_dies_between_checkpoint_and_reply_is_resumed_exactly_once()
    {
        await using var sandbox = new Sandbox(output);
        sandbox.Say($"AMBROSIA_E2E_SEED={Settings.Seed}");
        var random = new Random(Settings.Seed);
        var watch = Stopwatch.StartNew();
        NodeUnderTest caller = new(sandbox, "caller", Layout.Sidecar, NodeSettings.Small);
        NodeUnderTest callee = new(sandbox, "callee", Layout.Sidecar, NodeSettings.Small);
        caller.Start();
        callee.Start();
        var history = new History();
        await callee.AskAsync("save");
        for (int i = 0; i < Settings.Awaits; i++)
        {
            var request = new Request(string.Create(CultureInfo.InvariantCulture, $"await{i}"), caller.Name, callee.Name,
                s_kinds[i % s_kinds.Length]);
            await SuspendDieResumeAsync(caller, callee, history, request, random.Next(3));
        }

        (IReadOnlyList<string> violations, IReadOnlyDictionary<string, NodeReport> reports) =
            await Auditor.AuditAsync(history, [caller, callee], TimeSpan.FromSeconds(30));
        Assert.Empty(violations);
        Assert.Equal(Settings.Awaits, reports[caller.Name].Ended);
        sandbox.Say($"{Settings.Awaits} awaits survived the death of their process between checkpoint and reply; "
            + $"{watch.Elapsed.TotalSeconds:0} s.");
        await sandbox.PassedAsync();
    }

    private static async Task SuspendDieResumeAsync(NodeUnderTest caller, NodeUnderTest callee, History history, Request request, int who)
    {
        // The callee stands still, so the reply cannot come before the checkpoint and the death.
        await callee.App!.StopAsync();
        try
        {
            using GateClient gate = await caller.ConnectAsync();
            history.Begin(request);
            Task<string> answer = gate.AskAsync($"submit {request.Id} {request.Kind} {request.Peer} 5000");
            await Wait.UntilAsync("the request is in the state", async () =>
                (await caller.ReportAsync()).Effects.ContainsKey($"{request.Id} begun"), TimeSpan.FromSeconds(30));
            await Admin.CheckpointAsync(caller);
            Assert.True(!answer.IsCompleted,
                $"{request.Id} ({request.Kind}) was answered while its callee stood still: {answer.Status} "
                + $"{answer.Exception?.InnerException?.Message}");
            await KillAsync(caller, who);
            await Assert.ThrowsAsync<GateClosedException>(() => answer);
            request.Outcome = Outcome.Unknown;
        }
        finally
        {
            callee.App.Signal(Posix.Continue);
        }

        caller.Start();
        await Wait.UntilAsync(
            "the handler went on",
            async () => await caller.ReportAsync() is var report && report.Ended == report.Begun,
            TimeSpan.FromSeconds(30));
    }

    private static async Task KillAsync(NodeUnderTest node, int who)
    {
        if (who != 1)
        {
            await node.KillAsync(Side.App);
        }

        if (who != 0)
        {
            await node.KillAsync(Side.Coordinator);
        }
    }
}
