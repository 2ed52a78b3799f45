using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Text;

/// <summary>How messages of other bindings are shown.</summary>
public sealed class ForeignTextTests
{
    [Theory]
    [InlineData(-1, 1, "7b226d223a317d", "fork post({\"m\":1})")] // A JavaScript binding's own.
    [InlineData(-2, 2, "7b226d223a317d", "impulse post by impulse({\"m\":1})")]
    [InlineData(-1, 1, "90", "fork OnFirstStart()")]
    [InlineData(-2, 2, "08", "timer")]
    [InlineData(-4, 1, "322e302e31", "fork InitialMessage(0x322E302E31)")]
    [InlineData(3, 1, "ff0102", "fork 3(\"0x0102\")")]
    [InlineData(3, 1, "7b226d", "fork 3(123)")]
    [InlineData(3, 1, "", "fork 3()")]
    [InlineData(3, 1, "7b2261223a225c7564383030227d", "fork 3(123)")] // {"a":"\ud800"}, as JavaScript writes half an emoji.
    public void A_call_is_shown_as_what_it_is(int method, int kind, string body, string text)
    {
        byte[] data = [0, (byte)Varint.ZigZag(method), (byte)kind, .. Convert.FromHexString(body)];
        RpcHeader rpc = RpcHeader.Read(data);
        Assert.Equal(text, CallText.Call(CallText.KindOf(rpc), rpc.MethodId, rpc.Body, new MethodNames()));
    }
}
