using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

/// <summary>What bindings of the original system rely on at the legacy port pair; docs/internals/protocol.md section 6.</summary>
public sealed class LegacyPairTests
{
    [Theory]
    [InlineData("322e302e31", "0c09322e302e31")] // 2.0.1: a version.
    [InlineData("0a68656c6c6f", "0e090a68656c6c6f")] // Its length, and hello.
    [InlineData("", "0209")]
    [InlineData("0800000201", "0c090800000201")] // A call, as docs/internals/protocol.md had it once.
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

    [Fact] // Two ports accept independently of each other.
    public async Task Of_two_connections_that_come_to_the_send_port_first_one_makes_a_pair_with_the_receive_port()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        (ScriptedLegacyApp app, IConnection other) = await ScriptedLegacyApp.ConnectLateAsync(core);
        await using (other)
        await using (app)
        {
            await Within.Until(() => core.Lines.All.Any(static line => line.Contains("IC-1031", StringComparison.Ordinal)));
            await app.HearAsync();
            await app.SayAsync(BindingMessageType.InitialMessage, ScriptedLegacyApp.Version);
            await app.CheckpointAsync();
            Assert.NotEmpty((await app.HearAsync()).Messages);
        }
    }

    [Fact] // The next app comes before the coordinator has noticed that its predecessor was killed.
    public async Task The_first_half_of_the_next_pair_leaves_the_pair_that_is_served_alone()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await using IConnection next = await core.Network.Node("next").ConnectAsync(
            EndPointName.Tcp("127.0.0.1", ScriptedLegacyApp.ReceivePort), default);
        for (byte i = 1; i <= 10; i++)
        {
            await app.ForkAsync(i);
            await app.HearAsync();
        }

        Assert.False(core.Running.IsCompleted);
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

    [Fact]
    public async Task An_app_whose_turns_cannot_be_seen_is_not_said_to_be_stuck_in_one()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options =>
        {
            ScriptedLegacyApp.Ports(options);
            options.Watchdog = TimeSpan.FromMilliseconds(1);
        });
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await app.ForkAsync(1);
        await app.HearAsync();
        double since = core.Status.Snapshot().UptimeSeconds;
        await Within.Until(() => core.Status.Snapshot().UptimeSeconds > since + 0.2); // Ten looks at the app.
        Assert.DoesNotContain(core.Lines.All, static line => line.Contains("IC-1038", StringComparison.Ordinal));
        Assert.Equal("", core.Status.Snapshot().App.Stuck);
        Assert.Equal(core.Status.Snapshot().Log.DurableLsn, core.Status.Snapshot().App.Lsn);
    }

    [Fact] // What there is to say has no form there: bytes of version 2 would stand in the midst of a record.
    public async Task An_app_of_the_published_protocol_hears_nothing_but_its_end_when_the_coordinator_stops()
    {
        Task<byte[]> rest;
        ScriptedLegacyApp app;
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports))
        {
            app = await ScriptedLegacyApp.ConnectAsync(core);
            await app.StartFirstAsync();
            rest = app.HearRestAsync();
        }

        Assert.Empty(await rest.OrFail());
        await app.DisposeAsync();
    }

    [Fact] // It would be let in beside the one that still releases what it has done.
    public async Task A_pair_that_comes_while_the_app_at_the_socket_leaves_is_not_served()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options =>
        {
            ScriptedLegacyApp.Ports(options);
            options.DrainTimeout = TimeSpan.FromSeconds(4); // Longer than anybody waits for the app before it.
        });
        await using ScriptedApp old = await core.ConnectAppAsync();
        await old.BecomePrimaryAsync();
        core.Status.RequestDrain("the test");
        await Within.Until(() => core.Status.Snapshot().Role == "draining");
        await using ScriptedLegacyApp pair = await ScriptedLegacyApp.ConnectAsync(core);
        Assert.Empty(await pair.HearRestAsync().OrFail());
        Assert.False(core.Running.IsCompleted);
    }

    [Fact]
    public async Task An_app_that_wants_the_place_of_one_of_the_published_protocol_is_refused()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await using ScriptedApp next = await core.ConnectAppAsync();
        await next.SayAsync(BindingMessageType.Hello,
            (ScriptedApp.Hello with { Features = BindingFeatures.Upgrades | BindingFeatures.TakesOver }).Write);
        BindingRefused refused = await next.HearRefusalAsync();
        Assert.Equal("IC-5004", refused.Code);
        Assert.Contains("published protocol", refused.Reason, StringComparison.Ordinal);
        await app.ForkAsync(1);
        Assert.Equal(new byte[] { 8, 0, 0, 2, 1 }, (await app.HearAsync()).Messages);
    }

    [Theory] // Own messages go through the log as any other's do.
    [InlineData("01", "aabb")]
    [InlineData("02", "")]
    [InlineData("03", "aabb")]
    public async Task A_reply_in_the_form_of_the_original_arrives_in_that_form(string form, string value)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        byte[] reply = Convert.FromHexString(form + "0862616e6b" + "0e" + value); // From bank, to call 7.
        await app.SayAsync(BindingMessageType.Rpc, [0, .. reply]);
        (_, byte[] messages) = await app.HearAsync();
        Assert.Equal([(byte)((reply.Length + 1) << 1), 0, .. reply], messages);
    }

    [Fact]
    public async Task A_reply_in_delivery_form_arrives_in_the_form_of_the_original_between_calls_that_stay_as_they_are()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        byte[] call = [8, 0, 0, 2, 1];
        byte[] reply = [14, 0, 1, 6, 1, 14, 0xaa, 0xbb]; // A value for call 7 of method 3.
        await app.SayAsync(BindingMessageType.RpcBatch, [6, .. Outgoing(call), .. Outgoing(reply), .. Outgoing(call)]);
        List<byte> heard = [];
        byte[] named = [20, 0, 1, 8, .. "bank"u8, 14, 0xaa, 0xbb];
        byte[] expected = [.. call, .. named, .. call];
        while (heard.Count < expected.Length)
        {
            heard.AddRange((await app.HearAsync()).Messages);
        }

        Assert.Equal(expected, heard);
    }

    [Fact] // Bindings of the original put into a batch whatever waits, 64 MiB and more.
    public async Task A_batch_may_be_larger_than_the_largest_message()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: static options =>
        {
            ScriptedLegacyApp.Ports(options);
            options.MaxMessageSize = 4096;
        });
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        byte[] batch = [6, .. Enumerable.Range(1, 3).SelectMany(static i => Fork((byte)i, 3000))];
        foreach (byte[] piece in Framed(BindingMessageType.RpcBatch, batch).Chunk(7))
        {
            await app.SayLastAsync(piece); // So that it is cut everywhere.
        }

        int heard = 0;
        Exception? ended = await Record.ExceptionAsync(async () =>
        {
            while (heard < 3 * 3000)
            {
                heard += (await app.HearAsync()).Messages.Length;
            }
        });
        Assert.Null(ended);
        await app.SayLastAsync(Fork(4, 5000));
        Assert.Empty(await app.HearRestAsync());
        Assert.Contains(core.Lines.All, static line => line.Contains("the limit is 4096 (--max-message-size)", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("060504080000000201")] // More messages announced than there are.
    [InlineData("10050208000002010800000201")] // Fewer.
    [InlineData("0e0502" + "0608" + "0204")] // Another type.
    [InlineData("080502" + "0c000000020101")] // The last is longer than the batch.
    [InlineData("0205")] // No count.
    public async Task A_batch_that_is_not_what_it_says_ends_the_connection(string bytes)
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        await app.SayLastAsync([.. Convert.FromHexString(bytes), 2, 99]); // And what is no message at all.
        await app.HearRestAsync();
        Assert.Contains(core.Lines.All, static line =>
            line.StartsWith("1501", StringComparison.Ordinal) && line.Contains("batch", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_upgrade_is_asked_for_once()
    {
        var log = new LogStoreEnvironment();
        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports, log: log))
        {
            await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
            await app.StartFirstAsync();
            await app.ForkAsync(1);
            await app.HearLoggedAsync();
        }

        await using (CoreUnderTest core = await CoreUnderTest.StartAsync(change: Upgrading, log: log))
        {
            await using (ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core))
            {
                await app.RestoreAsync();
                await app.HearLoggedAsync();
                await app.ForkAsync(1);
                await app.HearLoggedAsync();
                await app.HearOwnAsync(BindingMessageType.UpgradeTakeCheckpoint);
                await app.CheckpointAsync();
                await app.HearOwnAsync(BindingMessageType.TakeCheckpoint); // Only now is its upgrade complete.
                await app.CheckpointAsync();
                await app.SayAsync(BindingMessageType.Rpc, 0, 0, 4, 2); // An impulse, which only who acts may send.
                Assert.Equal(new byte[] { 8, 0, 0, 4, 2 }, (await app.HearAsync()).Messages);
            }

            await using ScriptedLegacyApp again = await ScriptedLegacyApp.ConnectAsync(core);
            await again.RestoreAsync();
            await again.HearLoggedAsync();
            await again.HearOwnAsync(BindingMessageType.TakeBecomingPrimaryCheckpoint);
        }
    }

    [Fact]
    public async Task A_ping_is_answered_with_the_time()
    {
        await using CoreUnderTest core = await CoreUnderTest.StartAsync(change: ScriptedLegacyApp.Ports);
        await using ScriptedLegacyApp app = await ScriptedLegacyApp.ConnectAsync(core);
        await app.StartFirstAsync();
        byte[] ping = [8, .. "shop"u8, 77, .. new byte[40]];
        await app.SayAsync(BindingMessageType.Ping, ping);
        (long id, byte[] answer) = await app.HearAsync();
        Assert.Equal(LogRecordHeader.OwnMessage, id);
        Assert.Equal([84, 7, 77], answer[..3]);
        DateTime time = DateTime.FromFileTimeUtc(BitConverter.ToInt64(answer, 3));
        Assert.InRange(time, DateTime.UtcNow.AddDays(-1), DateTime.UtcNow.AddDays(1));
        Assert.All(answer[11..], static b => Assert.Equal(0, b));
        await app.SayAsync(BindingMessageType.PingReturn, ping);
        await app.SayAsync(BindingMessageType.Ping, 0);
        Assert.Equal([2, 7], (await app.HearAsync()).Messages);
    }

    [Fact]
    public async Task Nothing_can_be_upgraded_at_a_first_start()
    {
        CoordinatorException refused = await Assert.ThrowsAsync<CoordinatorException>(() => CoreUnderTest.StartAsync(change: Upgrading));
        Assert.Equal("IC-1004", refused.Code);
        Assert.Contains("--legacy-upgrade-to", refused.Message, StringComparison.Ordinal);
    }

    private static void Upgrading(CoordinatorOptions options)
    {
        ScriptedLegacyApp.Ports(options);
        options.LegacyUpgradeTo = "2";
    }

    private static byte[] Fork(byte method, int size) => Framed(BindingMessageType.Rpc, [0, 0, (byte)(method << 1), 1, .. new byte[size]]);

    private static byte[] Framed(BindingMessageType type, byte[] data)
    {
        byte[] prefix = new byte[Varint.MaxSize32];
        return [.. prefix[..Varint.WriteZigZag(prefix, data.Length + 1)], (byte)type, .. data];
    }

    // To the instance itself.
    private static byte[] Outgoing(byte[] message) => [(byte)(message[0] + 2), message[1], 0, .. message[2..]];
}
