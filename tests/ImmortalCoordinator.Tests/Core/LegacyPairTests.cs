using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What bindings of the original system rely on at the legacy port pair; docs/protocol.md section 6.</summary>
public sealed class LegacyPairTests
{
    public static TheoryData<string, string> InitialMessages => new()
    {
        { "322e302e31", "0c09322e302e31" }, // 2.0.1: a version.
        { "0a68656c6c6f", "0e090a68656c6c6f" }, // Its length, and hello.
        { "", "0209" },
        { "0800000201", "0c090800000201" }, // A call, as docs/protocol.md had it once.
    };

    [Theory]
    [MemberData(nameof(InitialMessages))]
    public async Task The_initial_message_is_any_bytes_and_comes_back_as_it_was(string data, string message)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using (ScriptedLegacyApp first = await ScriptedLegacyApp.ConnectAsync(core))
        {
            await first.HearAsync();
            await first.SayAsync(BindingMessageType.InitialMessage, Convert.FromHexString(data));
            await first.CheckpointAsync();
            Assert.Equal(Convert.FromHexString(message), (await first.HearAsync()).Messages);
        }

        await using ScriptedLegacyApp second = await ScriptedLegacyApp.ConnectAsync(core);
        await second.RestoreAsync();
        Assert.Equal(Convert.FromHexString(message), (await second.HearAsync()).Messages);
    }

    [Fact]
    public async Task Nothing_is_delivered_between_a_request_for_a_checkpoint_and_the_checkpoint()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await app.SayAsync(BindingMessageType.TakeCheckpoint);
        await app.HearOwnAsync(BindingMessageType.TakeCheckpoint);
        for (byte i = 1; i <= 10; i++)
        {
            ulong before = core.Status.Snapshot().Log.DurableLsn;
            await app.ForkAsync(i);
            await Within.Until(() => core.Status.Snapshot().Log.DurableLsn > before);
        }

        Assert.Empty(app.Unheard());
        await app.CheckpointAsync();
        Assert.Equal(new byte[] { 8, 0, 0, 2, 1 }, (await app.HearAsync()).Messages);
    }
}
