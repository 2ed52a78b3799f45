using System.Buffers;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Awakeables;

/// <summary>What completes an awakeable, and what does not (docs/internals/outside-calls.md X29, X32).</summary>
public sealed class AwakeableTests : IAsyncDisposable
{
    private const string Outside = "outside.ambrosia";
    private readonly ScriptedCoordinator _coordinator;

    static AwakeableTests()
    {
        AwakeableTypes.Add<string, StringFormatter>(7, "System.String", "\"name\":\"string\",\"type\":\"text\",\"types\":[]");
        AwakeableTypes.Add<Odd, OddFormatter>(8, "Odd", "\"name\":\"Odd\",\"type\":\"text\",\"types\":[]");
    }

    public AwakeableTests() => _coordinator = new ScriptedCoordinator(static () => new Asker())
    {
        Features = BindingFeatures.Awakeables, Awakeables = new AwakeableKey(new byte[AwakeableKey.SecretSize], "http://one"),
    };

    private Asker Asker => (Asker)_coordinator.Immortal!;

    [Fact]
    public async Task Only_a_completion_from_outside_completes_it_and_only_one()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1));
        // A peer that guesses.
        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, ReservedMethods.AwakeableDone, 1, [0xa2, .. "no"u8]));
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xa2, .. "no"u8], caller: "peer"));
        await _coordinator.DeliverAsync(Done(2, AwakeableForm.Value, [0xa2, .. "no"u8]));
        Assert.Empty(Asker.Came);
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xc3]), Done(1, AwakeableForm.Value, [0xa1, (byte)'a', 0xc0]));
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xa3, .. "yes"u8]), Done(1, AwakeableForm.Value, [0xa3, .. "yes"u8]));
        Assert.Equal(["yes"], Asker.Came);
        byte[][] answers = [.. _coordinator.SentTo(Outside).Select(static sent => RpcHeader.Read(TestMessage.DataOf(sent)).Body.ToArray())];
        Assert.Equal([AwakeableCompletion.NotOpen], answers[0]);
        Assert.True(answers[1][0] > 0xa0 && answers[2][0] > 0xa0); // Texts that say why: it stays open.
        Assert.Equal([AwakeableCompletion.Taken], answers[3]);
        Assert.Equal([AwakeableCompletion.NotOpen], answers[4]);
        Assert.Equal(5, answers.Length);
        Assert.Contains(_coordinator.SentTo("peer"), static sent => RpcHeader.Read(TestMessage.DataOf(sent)).Form == RpcForm.Exception);
    }

    [Theory] // Everybody that has the address says what the constructor quotes.
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public async Task Whatever_a_value_is_refused_with_it_stays_open_and_the_app_goes_on(int refusal)
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(4));
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xa1, (byte)('0' + refusal)]));
        byte[] answer = RpcHeader.Read(TestMessage.DataOf(Assert.Single(_coordinator.SentTo(Outside)))).Body.ToArray();
        Assert.True(answer[0] >= 0xa0); // A text: it is neither taken nor over.
        Assert.DoesNotContain('\ud83d', new MessagePackReader(answer).ReadString());
        Assert.Empty(Asker.Came);
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xa0]));
        Assert.Equal(["odd"], Asker.Came);
    }

    [Fact]
    public async Task It_is_named_alike_at_each_replay_and_kept_in_checkpoints()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1));
        await _coordinator.DeliverAsync(Call(1));
        string[] urls = [.. Asker.Urls];
        Assert.Equal(2, urls.Distinct().Count());
        Assert.All(urls, static url => Assert.StartsWith("http://one/v1/awakeables/", url, StringComparison.Ordinal));
        Assert.True(AwakeableId.TryParse(urls[0][25..], out AwakeableId id));
        Assert.True(id.IsGenuine(_coordinator.Awakeables!, _coordinator.InstanceId));
        Assert.Equal((1, 7u), (id.Number, id.Type));
        await _coordinator.CheckpointAsync();
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xa3, .. "yes"u8]));
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(0, becomePrimary: false);
        Assert.Equal(urls, Asker.Urls);
        Assert.Equal(["yes"], Asker.Came);
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(_coordinator.Checkpoints.Count - 1);
        Assert.Equal(["yes"], Asker.Came);
        await _coordinator.DeliverAsync(Done(2, AwakeableForm.Rejection, "no money"u8));
        Assert.Equal(["yes", "AwakeableRejectedException no money"], Asker.Came);
        Assert.Empty(_coordinator.Divergences);
    }

    [Fact]
    public async Task It_ends_at_its_deadline_or_when_it_is_closed()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(2));
        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, [0, 3, 2, 2])); // Timer 1 fires.
        await _coordinator.DeliverAsync(Call(2), Call(3), Call(3));
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Rejection, ""u8), Done(2, AwakeableForm.Value, [0xa0]));
        Assert.Equal(
            [
                "AwakeableExpiredException Nobody completed the awakeable before its deadline.", "True True False False",
                "OperationCanceledException The awakeable was closed.", "False False False False",
            ],
            Asker.Came);
        Assert.All(_coordinator.SentTo(Outside), static sent =>
            Assert.Equal([AwakeableCompletion.NotOpen], RpcHeader.Read(TestMessage.DataOf(sent)).Body.ToArray()));
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync(0, becomePrimary: false);
        Assert.Contains("\"pendingCalls\":0,\"pendingTimers\":0", _coordinator.StateJson!, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Without_an_address_nobody_opens_one()
    {
        _coordinator.Awakeables = null;
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1));
        Assert.Contains("--ingress", Assert.Single(_coordinator.Faults), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_completion_that_was_quarantined_leaves_it_open()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1));
        LoggedRecord record = _coordinator.Append(Done(1, AwakeableForm.Value, [0xa3, .. "yes"u8]));
        await _coordinator.KillAsync();
        byte[] skip = new byte[MessagePosition.MaxSize];
        await _coordinator.RecoverAsync(0, skip: skip[..new MessagePosition(record.Lsn, 0).Write(skip)]);
        Assert.Empty(Asker.Came);
        await _coordinator.DeliverAsync(Done(1, AwakeableForm.Value, [0xa5, .. "later"u8]));
        Assert.Equal(["later"], Asker.Came);
    }

    [Theory]
    [InlineData("")]
    [InlineData("02")]
    [InlineData("0202")]
    [InlineData("0001C0")]
    [InlineData("FFFFFFFF0F")]
    public async Task Anything_may_follow_the_reserved_id(string hex)
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(1));
        await _coordinator.DeliverAsync(Message(Outside, Convert.FromHexString(hex)));
        // An impulse.
        await _coordinator.DeliverAsync(TestMessage.Frame(BindingMessageType.Rpc, [0, 15, 2, .. Convert.FromHexString(hex)]));
        Assert.Empty(Asker.Came);
        Assert.Equal(RpcForm.Exception, RpcHeader.Read(TestMessage.DataOf(Assert.Single(_coordinator.SentTo(Outside)))).Form);
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private static byte[] Call(int method) =>
        TestMessage.Call(RpcKind.Fork, method, static (ref MessagePackWriter arguments) => arguments.WriteArrayHeader(0));

    private static byte[] Done(long number, AwakeableForm form, ReadOnlySpan<byte> body, string caller = Outside)
    {
        var arguments = new ArrayBufferWriter<byte>();
        new AwakeableCompletion(number, form, body.ToArray()).Write(arguments);
        return Message(caller, arguments.WrittenSpan.ToArray());
    }

    private static byte[] Message(string caller, byte[] arguments) => TestMessage.Call(
        RpcKind.Async, ReservedMethods.AwakeableDone, (ref MessagePackWriter writer) => writer.WriteRaw(arguments), caller, 17);
}
