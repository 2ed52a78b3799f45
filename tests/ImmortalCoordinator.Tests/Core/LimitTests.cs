using System.Buffers;
using Ambrosia.ImmortalCoordinator.Hosting;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>PROTOCOL H18: an app that sends more than may lie in scratch files, to whom it has not executed yet, or to whom nobody knows.</summary>
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
        await Within.Until(() => core.Lines.All.Any(static line => line.StartsWith("1515 IC-2111 held at both limits: the app waits for shop", StringComparison.Ordinal)));
        await Within.Until(() => core.Status.Snapshot().App.Stuck.Contains("shop", StringComparison.Ordinal));
    }

    private static void Tighten(CoordinatorOptions options)
    {
        (options.MaxLag, options.MaxSpill, options.MaxBuffered) = (1, 1, 1);
        options.Watchdog = TimeSpan.FromMilliseconds(1);
    }

    /// <summary>The app sends in its first turn what does not fit, and reports the turn's end.</summary>
    private static async Task<ScriptedApp> FillAsync(CoreUnderTest core, string destination)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        await app.HearAsync(BindingMessageType.Rpc);
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(0, destination).Write);
        for (int i = 0; i < Count; i++)
        {
            await app.SayAsync(BindingMessageType.Outputs, WriteFork);
        }

        await app.ReportAsync(1, 1, complete: true);
        return app;
    }

    // A fork of method 1; its arguments do not matter.
    private static void WriteFork(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(0);
        writer.WriteVarint(1);
        writer.WriteZigZag(Size + 5);
        writer.WriteBytes([0, 0, 2, 1]);
        writer.WriteBytes(new byte[Size + 1]);
    }
}
