using System.Buffers;
using Ambrosia.Coordinator.Settings;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>
/// docs/internals/exactly-once.md H18: an app that sends more than may lie in scratch files, to whom it has not executed yet, or to whom
/// nobody knows.
/// </summary>
public sealed class LimitTests
{
    private const int Size = 5000;
    private const int Count = 4;

    [Fact] // It would wait for room in the scratch files, and the room for it.
    public async Task An_app_that_calls_itself_is_not_held_up_for_good_by_both_limits_together()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: Tighten);
        await using ScriptedApp app = await FillAsync(core, "");
        for (int got = 0; got < Count;)
        {
            RecordInfo record = await app.HearRecordAsync();
            got += record.MessageCount;
            await app.ReportAsync(record.Lsn, record.MessageCount, complete: true);
        }
    }

    [Fact]
    public async Task An_instance_that_is_held_at_both_limits_says_so_and_for_whom_it_waits()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: Tighten);
        await using ScriptedApp app = await FillAsync(core, "shop");
        await Within.Until(() => core.Lines.All.Any(static line =>
            line.StartsWith("1515 IC-2111 held at both limits: the app waits for shop", StringComparison.Ordinal)));
        await Within.Until(() => core.Status.Snapshot().App.Stuck.Contains("shop", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Destinations_that_are_away_share_one_budget_of_memory()
    {
        const int Destinations = 40;
        const long Budget = 1 << 20;
        const long BeingFilled = 256 << 10;
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options => options.MaxBuffered = Budget);
        await using ScriptedApp app = await IdleAppAsync(core);
        for (int round = 0; round < 20; round++)
        {
            for (int i = 0; i < Destinations; i++)
            {
                await SendAsync(app, i, $"shop{i}");
            }
        }

        await app.ReportAsync(1, 1, complete: true);
        await Within.Until(() => core.Status.Snapshot().Outputs.Count(static output => output.Total == 20) == Destinations);
        Assert.InRange(core.Status.Snapshot().Outputs.Sum(static output => output.BufferedBytes), 1, Budget + BeingFilled);
    }

    [Fact]
    public async Task An_app_waits_when_it_sends_again_to_whom_has_used_up_its_share_of_the_scratch_space_and_not_before()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options =>
        {
            (options.MaxSpill, options.MaxBuffered, options.MaxTurnBytes) = (20 * Size, 1, 1); // What a turn sends leaves at once.
            Hurry(options);
        });
        await using ScriptedApp app = await IdleAppAsync(core);
        int toShop = 0;
        for (; core.Status.Snapshot().Outputs.FirstOrDefault(static output => output.Peer == "shop") is not
            { SpilledBytes: >= 10 * Size }; toShop++)
        {
            int sent = toShop + 1;
            await SendAsync(app, 0, "shop");
            await Within.Until(() => core.Status.Snapshot().Outputs.Any(output => output.Peer == "shop" && output.Total == (ulong)sent));
        }

        await SendAsync(app, 1, "mall");
        await Within.Until(() =>
            core.Status.Snapshot().Outputs.Any(static output => output is { Peer: "mall", Total: 1, HoldsApp: false }));
        await SendAsync(app, 0, "shop");
        await app.ReportAsync(1, 1, complete: true);
        await Within.Until(() => core.Status.Snapshot().Outputs.Any(static output => output is { Peer: "shop", HoldsApp: true }));
        await Within.Until(() => core.Lines.All.Any(static line =>
            line.Contains("IC-2112", StringComparison.Ordinal) && line.Contains("shop", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task What_the_app_has_not_executed_when_its_coordinator_is_started_again_counts_against_its_lag()
    {
        var disk = new HeldDisk();
        await using (CoreUnderTest first = await CoreUnderTest.StartAsync(log: disk.Environment))
        {
            await using ScriptedApp app = await IdleAppAsync(first);
            await using ScriptedPeer peer = await ScriptedPeer.DialAsync(first, ScriptedPeer.Hello);
            await peer.HearWatermarkAsync(FrameKind.Answer);
            await peer.SendOneAsync(1);
            await Within.Until(() => first.Describe().Contains("from shop: 1/1@5 durable 1/1@5", StringComparison.Ordinal));
        }

        await using CoreUnderTest second =
            await CoreUnderTest.StartAsync(log: disk.Environment, change: static options => options.MaxLag = 1);
        Assert.True(second.Status.Snapshot().App is { HoldsInput: true, LagBytes: > 1 });
    }

    [Fact]
    public async Task What_a_new_app_has_to_execute_again_counts_against_its_lag()
    {
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(change: static options => (options.MaxLag, options.OnAppExit) = (1, AppExitPolicy.Wait));
        await using (ScriptedApp app = await IdleAppAsync(core))
        {
            await app.ReportAsync(1, 1, complete: true);
            await Within.Until(() => core.Status.Snapshot().App is { Lsn: 1, HoldsInput: false });
        }

        await Within.Until(() => !core.Status.Snapshot().App.Attached);
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello, ScriptedApp.Hello.Write);
        await Within.Until(() => core.Status.Snapshot().App is { Attached: true, HoldsInput: true });
    }

    private static void Tighten(CoordinatorOptions options)
    {
        (options.MaxLag, options.MaxSpill, options.MaxBuffered) = (1, 1, 1);
        options.Watchdog = TimeSpan.FromMilliseconds(1);
        Hurry(options);
    }

    // Limits are looked at, and the status is published, once per heartbeat; a stop would wait for what is held here.
    private static void Hurry(CoordinatorOptions options) => (options.Heartbeat, options.DrainTimeout, options.CheckpointOnStop) =
        (TimeSpan.FromMilliseconds(20), TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(1));

    /// <summary>The app sends in its first turn what does not fit, and reports the turn's end.</summary>
    private static async Task<ScriptedApp> FillAsync(CoreUnderTest core, string destination)
    {
        ScriptedApp app = await IdleAppAsync(core);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, destination).Write);
        for (int i = 0; i < Count; i++)
        {
            await app.SayAsync(BindingMessageType.Outputs, static output => WriteFork(output, 0));
        }

        await app.ReportAsync(1, 1, complete: true);
        return app;
    }

    private static async Task<ScriptedApp> IdleAppAsync(CoreUnderTest core)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        return app;
    }

    private static async Task SendAsync(ScriptedApp app, int index, string destination)
    {
        await app.SayAsync(BindingMessageType.Destination, new DestinationName((ulong)index, destination).Write);
        await app.SayAsync(BindingMessageType.Outputs, output => WriteFork(output, index));
    }

    // A fork of method 1; its arguments do not matter.
    private static void WriteFork(IBufferWriter<byte> output, int index)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint((ulong)index);
        writer.WriteVarint(1);
        writer.WriteZigZag(Size + 5);
        writer.WriteBytes([0, 0, 2, 1]);
        writer.WriteBytes(new byte[Size + 1]);
    }
}
