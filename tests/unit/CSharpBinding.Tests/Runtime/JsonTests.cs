using System.Text;
using System.Text.Json;
using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Arguments and results for bindings that know no MessagePack.</summary>
public sealed class JsonTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Greeter());

    private Greeter App => (Greeter)_coordinator.Immortal!;

    [Fact]
    public async Task A_call_with_an_object_of_arguments_is_answered_with_an_object()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(RpcKind.Async, 1, """{"times":2,"name":"ann","more":[1]}"""u8),
            Call(RpcKind.Async, 1, """{"name":"ann","times":0}"""u8));
        Assert.Equal(
            [TestMessage.Reply(RpcForm.Value, 1, 5, """{"result":"annann"}"""u8)],
            _coordinator.SentTo("client").Take(1));
        string failed = Encoding.UTF8.GetString(_coordinator.SentTo("client")[1]);
        Assert.Contains("""{"exception":["System.InvalidOperationException","never",""", failed, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Arguments_say_of_themselves_what_they_are()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(
            Call(RpcKind.Fork, 2, [0xff, 7, 8]), Call(RpcKind.Fork, 3, []), Call(RpcKind.Fork, 3, [0x90]), Call(RpcKind.Fork, 3, "{}"u8),
            Call(RpcKind.Async, 1, [0x92, 0xa1, (byte)'x', 3]));
        Assert.Equal([7, 8], App.Bytes);
        Assert.Equal(3, App.Bare);
        Assert.Equal(TestMessage.Reply(RpcForm.Value, 1, 5, """{"result":"xxx"}"""u8), Assert.Single(_coordinator.SentTo("client")));
    }

    [Theory]
    [InlineData("{")]
    [InlineData("""{"name":"ann"}""")]
    [InlineData("""{"name":"ann","times":"two"}""")]
    public async Task Arguments_that_cannot_be_read_are_the_callers_failure(string arguments)
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(RpcKind.Async, 1, Encoding.UTF8.GetBytes(arguments)), Call(RpcKind.Fork, 3, []));
        Assert.Contains("\"exception\"", Encoding.UTF8.GetString(Assert.Single(_coordinator.SentTo("client"))), StringComparison.Ordinal);
        Assert.Equal(1, App.Bare);
    }

    [Fact]
    public async Task A_proxy_sends_objects_raw_bytes_and_nothing_and_reads_both_forms_of_replies()
    {
        await _coordinator.StartFirstAsync();
        await _coordinator.DeliverAsync(Call(RpcKind.Fork, 4, []));
        Assert.Equal([[0, 4, 1, 0xff, 1, 2], [0, 6, 1]], _coordinator.SentTo("other").Take(2)
            .Select(static message => TestMessage.DataOf(message).ToArray()));
        Assert.EndsWith("""{"name":"ann","times":2}""", Encoding.UTF8.GetString(_coordinator.SentTo("other")[2]), StringComparison.Ordinal);
        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Value, 1, 1, """{"result":"hi"}"""u8));
        await _coordinator.DeliverAsync(TestMessage.Reply(RpcForm.Exception, 1, 2, """{"exception":["Planted","no","",null]}"""u8));
        Assert.Equal(["hi", "Planted"], App.Answers);
    }

    [Fact]
    public async Task An_impulse_to_another_instance_is_an_object_too()
    {
        _coordinator.LogsSelfMessages = false;
        await _coordinator.StartFirstAsync();
        await App.RingAsync("other");
        await App.RingAsync("other"); // The thread's buffer is used again.
        await _coordinator.UntilAsync(() => _coordinator.ForeignImpulses.Count == 2, "two impulses");
        byte[] expected = [0, 4, 2, .. """{"length":3,"name":"bell"}"""u8];
        Assert.All(_coordinator.ForeignImpulses, impulse => Assert.Equal(expected, impulse.Data));
    }

    [Theory] // Lists in lists, the outermost as the argument: what a writer may nest.
    [InlineData(64, true)]
    [InlineData(65, false)]
    public void What_may_be_nested_is_the_same_for_who_sends_and_who_receives(int depth, bool may)
    {
        byte[] arguments = [0x91, .. Enumerable.Repeat((byte)0x91, depth - 1), 0x90];
        string json = $$"""{"a":{{new string('[', depth)}}{{new string(']', depth)}}}""";
        if (may)
        {
            Assert.Equal(json, Encoding.UTF8.GetString(JsonForm.FromArguments(arguments, ["a"])));
            Assert.Equal(arguments, JsonForm.Arguments(Encoding.UTF8.GetBytes(json), ["a"]).ToArray());
            return;
        }

        Assert.ThrowsAny<Exception>(() => JsonForm.FromArguments(arguments, ["a"]));
        Assert.ThrowsAny<Exception>(() => JsonForm.Arguments(Encoding.UTF8.GetBytes(json), ["a"]).Length);
    }

    [Fact]
    public void Dictionaries_whose_keys_are_no_text_are_refused_by_who_sends_them() =>
        Assert.Throws<NotSupportedException>(() => JsonForm.FromArguments([0x91, 0x81, 1, 2], ["a"]));

    [Theory] // What an array of MessagePack holds, as an object and back.
    [InlineData("""{"a":-1,"b":18446744073709551615}""")]
    [InlineData("""{"a":1.5,"b":"\u00e4"}""")]
    [InlineData("""{"a":null,"b":true}""")]
    [InlineData("""{"a":[1,[2,{}]],"b":{"c":{"d":false}}}""")]
    public void Objects_come_back_as_they_were(string json)
    {
        ReadOnlySpan<byte> arguments = JsonForm.Arguments(Encoding.UTF8.GetBytes(json), ["a", "b"]);
        using JsonDocument expected = JsonDocument.Parse(json);
        using JsonDocument found = JsonDocument.Parse(JsonForm.FromArguments(arguments, ["a", "b"]));
        Assert.Equal(JsonSerializer.Serialize(expected), JsonSerializer.Serialize(found));
    }

    [Fact]
    public void What_has_no_form_in_JSON_is_refused()
    {
        byte[] bytesAndMore = [0x92, 0xc4, 1, 9, 1];
        Assert.Throws<NotSupportedException>(() => JsonForm.FromArguments(bytesAndMore, ["a", "b"]));
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private static byte[] Call(RpcKind kind, int method, ReadOnlySpan<byte> arguments)
    {
        byte[] copy = arguments.ToArray();
        return TestMessage.Call(kind, method, (ref MessagePackWriter writer) => writer.WriteRaw(copy), number: 5);
    }
}
