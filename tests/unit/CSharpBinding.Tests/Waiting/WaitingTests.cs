using System.Text;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Waiting;

/// <summary>What an app says of what it waits for (docs/internals/protocol.md 5.8).</summary>
public sealed class WaitingTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator;

    static WaitingTests() =>
        AwakeableTypes.Add<string, StringFormatter>(7, "System.String", "\"name\":\"string\",\"type\":\"text\",\"types\":[]");

    public WaitingTests() => _coordinator = new ScriptedCoordinator(static () =>
        new Patient(), new ImmortalOptions { InstanceName = ScriptedCoordinator.Instance, CheckQueries = true })
    {
        Features = BindingFeatures.Awakeables, Awakeables = new AwakeableKey(new byte[AwakeableKey.SecretSize], "http://one"),
    };

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    [Fact]
    public async Task A_call_is_told_with_where_it_went_when_and_who_awaits_it_until_its_reply_comes()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(99), Call(1));
        WaitingTold told = await AskAsync();
        LoggedRecord record = _coordinator.Log[^1];
        Assert.Equal(
            new WaitingCall(1, "bank", 1, "Visit", new MessagePosition(record.Lsn, 1), record.Timestamp, "Visit > Ask"),
            Assert.Single(told.Calls));
        Assert.Equal((1, 0, 0), (told.CallCount, told.AwakeableCount, told.TimerCount));
        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, 1, [5]));
        WaitingCall next = Assert.Single((await AskAsync()).Calls);
        Assert.Equal((2, "mirror", 20, "", _coordinator.Log[^1].Lsn),
            (next.Number, next.Destination, next.MethodId, next.Method, next.Since.Lsn));
    }

    [Fact]
    public async Task An_awakeable_is_told_with_its_type_and_deadline_and_never_with_what_completes_it()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(3));
        byte[] bytes = await AskForBytesAsync();
        var told = WaitingTold.Read(bytes);
        LoggedRecord record = _coordinator.Log[^1];
        long deadline = record.Timestamp + TimeSpan.TicksPerHour;
        Assert.Equal(new WaitingAwakeable(1, "System.String", deadline, new MessagePosition(record.Lsn, 0), record.Timestamp, "Sign"),
            Assert.Single(told.Awakeables));
        Assert.Equal(new WaitingTimer(1, deadline, "Sign"), Assert.Single(told.Timers));
        Assert.Equal((0, 1, 1), (told.CallCount, told.AwakeableCount, told.TimerCount));
        string id = AwakeableId.Make(_coordinator.Awakeables!, _coordinator.InstanceId, 1, 7).ToString();
        string text = Encoding.UTF8.GetString(bytes);
        Assert.DoesNotContain(id, text, StringComparison.Ordinal);
        Assert.DoesNotContain("http", text, StringComparison.Ordinal);
        Assert.True(bytes.AsSpan().IndexOf(Convert.FromBase64String(Padded(id)).AsSpan()[^16..]) < 0, "the proof in the id");
    }

    [Fact]
    public async Task Of_many_the_oldest_hundred_are_told_and_how_many_there_are()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(2, 70_000)); // More than the table's ring holds.
        WaitingTold told = await AskAsync();
        Assert.Equal((70_000, 70_000, 70_000), (told.CallCount, told.AwakeableCount, told.TimerCount));
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => (long)((2 * i) + 1)), told.Calls.Select(static call => call.Number));
        Assert.Equal(Enumerable.Range(0, 100).Select(static i => (long)((2 * i) + 2)), told.Awakeables.Select(static each => each.Number));
        Assert.Equal(Enumerable.Range(1, 100).Select(static i => (long)i), told.Timers.Select(static timer => timer.Id));
        Assert.All(told.Calls, static call =>
            Assert.Equal(("crowd", 3, "Sign", ""), (call.Destination, call.MethodId, call.Method, call.AwaitedBy)));
    }

    [Fact]
    public async Task What_a_checkpoint_brought_is_told_without_where_it_went_and_what_was_replayed_with_it()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1));
        await _coordinator.CheckpointAsync();
        await _coordinator.DeliverAsync(Call(1));
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(becomePrimary: false);
        WaitingTold told = await AskAsync();
        Assert.Equal(new WaitingCall(1, "", 0, "", default, 0, "Visit > Ask"), told.Calls[0]);
        Assert.Equal(("bank", "Visit > Ask"), (told.Calls[1].Destination, told.Calls[1].AwaitedBy));
        Assert.Equal(2, told.CallCount);
    }

    [Fact]
    public async Task Who_asks_changes_neither_the_state_nor_what_a_checkpoint_holds()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1), Call(3), Call(4));
        await _coordinator.CheckpointAsync();
        Assert.Equal(await AskForBytesAsync(), await AskForBytesAsync());
        await _coordinator.CheckpointAsync();
        Assert.Equal(_coordinator.Checkpoints[^2].Bytes, _coordinator.Checkpoints[^1].Bytes);
        Assert.DoesNotContain("bank", Encoding.UTF8.GetString(_coordinator.Checkpoints[^1].Bytes), StringComparison.Ordinal);
        Assert.Equal("Rest", (await AskAsync()).Timers[^1].AwaitedBy);
    }

    private static string Padded(string id) => id.Replace('-', '+').Replace('_', '/').PadRight((id.Length + 3) / 4 * 4, '=');

    private static byte[] Call(int method, int? argument = null) => TestMessage.Call(RpcKind.Fork, method, (ref MessagePackWriter writer) =>
    {
        writer.WriteArrayHeader(argument is null ? 0 : 1);
        if (argument is { } number)
        {
            writer.WriteInt64(number);
        }
    });

    private async Task<WaitingTold> AskAsync() => WaitingTold.Read(await AskForBytesAsync());

    private async Task<byte[]> AskForBytesAsync()
    {
        (QueryStatus status, byte[] body) = await _coordinator.AskAsync(
            ReservedMethods.Waiting, static (ref MessagePackWriter w) => w.WriteArrayHeader(0));
        Assert.Equal(QueryStatus.Answered, status);
        return body;
    }
}
