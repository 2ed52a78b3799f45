using System.Buffers;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Poison;

/// <summary>A scripted app that takes records in steps, and the moves of a life that ends in a message.</summary>
internal static class PoisonedApp
{
    public static BindingHello Hello { get; } = ScriptedApp.Hello with { Features = BindingFeatures.Steps };

    /// <summary>An impulse of a method to oneself.</summary>
    public static byte[] Impulse(byte method) => [10, 0, 0, (byte)(2 * method), 2, 0x90];

    public static async Task SendImpulsesAsync(this ScriptedApp app, params byte[] methods)
    {
        await app.SayAsync(BindingMessageType.Destination, static output => output.Write((ReadOnlySpan<byte>)[0, 0]));
        await app.SayAsync(BindingMessageType.Impulses, output => output.Write(
            (ReadOnlySpan<byte>)[0, (byte)methods.Length, .. methods.SelectMany(Impulse)]));
    }

    /// <summary>A fork of method 1 that carries so much.</summary>
    public static async Task SendForkAsync(this ScriptedApp app, string to, int size)
    {
        await app.SayAsync(BindingMessageType.Destination, new DestinationName(1, to).Write);
        await app.SayAsync(BindingMessageType.Outputs, output =>
        {
            var writer = new ByteWriter(output);
            writer.WriteVarint(1);
            writer.WriteVarint(1);
            writer.WriteZigZag(size + 5);
            writer.WriteBytes([0, 0, 2, 1]);
            writer.WriteBytes(new byte[size + 1]);
        });
    }

    /// <summary>An impulse to oneself with that much to carry.</summary>
    public static async Task SendLargeImpulseAsync(this ScriptedApp app, int size)
    {
        await app.SayAsync(BindingMessageType.Destination, static output => output.Write((ReadOnlySpan<byte>)[0, 0]));
        await app.SayAsync(BindingMessageType.Impulses, output =>
        {
            var writer = new ByteWriter(output);
            writer.WriteVarint(0);
            writer.WriteVarint(1);
            writer.WriteZigZag(size + 5);
            writer.WriteBytes([0, 0, 2 * 7, 2, 0x90]);
            writer.WriteBytes(new byte[size]);
        });
    }

    /// <summary>Attaches again and takes the checkpoint.</summary>
    public static async Task<ScriptedApp> ComeBackAsync(CoreUnderTest core, BindingHello? hello = null)
    {
        ScriptedApp app = await core.ConnectAppAsync();
        await app.SayAsync(BindingMessageType.Hello, (hello ?? Hello).Write);
        await app.HearAsync(BindingMessageType.Welcome);
        await app.HearAsync(BindingMessageType.Checkpoint);
        return app;
    }

    public static async Task<RecordInfo> HearRecordAsync(this ScriptedApp app) =>
        RecordInfo.Read(await app.HearAsync(BindingMessageType.RecordInfo));

    public static Task BeginAsync(this ScriptedApp app, ulong lsn, int index, byte method = 7) =>
        app.SayAsync(BindingMessageType.TurnRunning, output => output.Advance(
            new TurnRunning(new MessagePosition(lsn, index), method).Write(output.GetSpan(TurnRunning.MaxSize))));

    public static Task ReportAsync(this ScriptedApp app, ulong lsn, int done, bool complete) =>
        app.SayAsync(BindingMessageType.Progress, output =>
            output.Advance(new Progress(lsn, done, complete).Write(output.GetSpan(Progress.MaxSize))));

    /// <summary>A first life: becomes primary, ends the first record, sends impulses, and sees their record; then it dies without a
    /// word.</summary>
    public static async Task<RecordInfo> LiveAndDieAsync(CoreUnderTest core, params byte[] methods)
    {
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync(Hello);
        RecordInfo first = await app.HearRecordAsync();
        await app.ReportAsync(first.Lsn, 1, complete: true);
        await app.SendImpulsesAsync(methods);
        RecordInfo record = await app.HearRecordAsync();
        await app.DisposeAsync();
        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths == 1);
        return record;
    }

    /// <summary>A later life: comes to the message at this place of the record in steps, begins it, and dies; returns when that was
    /// judged.</summary>
    public static async Task DieAgainAsync(CoreUnderTest core, ulong lsn, int index)
    {
        long deaths = core.Status.Snapshot().Totals.AppDeaths;
        await DieUnseenAsync(core, lsn, index);
        await Within.Until(() => core.Status.Snapshot().Totals.AppDeaths > deaths);
    }

    /// <summary>The same, when nobody will count it.</summary>
    public static async Task DieUnseenAsync(CoreUnderTest core, ulong lsn, int index)
    {
        await using ScriptedApp app = await ComeBackAsync(core);
        await app.ReplayToAsync(lsn);
        for (int i = 0; i < index; i++)
        {
            await app.HearAsync(BindingMessageType.Rpc);
            await app.BeginAsync(lsn, i);
            await app.ReportAsync(lsn, i + 1, complete: false);
        }

        await app.HearAsync(BindingMessageType.Rpc);
        await app.BeginAsync(lsn, index);
    }

    /// <summary>Executes all records before this one, and hears it announced.</summary>
    public static async Task<RecordInfo> ReplayToAsync(this ScriptedApp app, ulong lsn)
    {
        while (true)
        {
            RecordInfo record = await app.HearRecordAsync();
            if (record.Lsn == lsn)
            {
                return record;
            }

            await app.ReportAsync(record.Lsn, record.MessageCount, complete: true);
        }
    }
}
