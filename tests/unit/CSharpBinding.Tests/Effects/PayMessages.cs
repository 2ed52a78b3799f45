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

    /// <summary>Waits for what the app sends to itself of one method, and takes it before it is logged.</summary>
    public static async Task<byte[]> TakeAsync(ScriptedCoordinator coordinator, int method, string what)
    {
        byte[]? found = null;
        await coordinator.UntilAsync(() => (found = coordinator.Impulses.Find(each => each[3] == Varint.ZigZag(method))) is not null, what);
        coordinator.Impulses.Remove(found!);
        return found!;
    }
}
