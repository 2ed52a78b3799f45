using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>Messages to a <see cref="Payer"/>.</summary>
internal static class PayMessages
{
    public static byte[] Of(int method, int value) => TestMessage.Call(RpcKind.Impulse, method,
        (ref Ambrosia.Serialization.MessagePackWriter writer) =>
        {
            writer.WriteArrayHeader(1);
            writer.WriteInt64(value);
        });
}
