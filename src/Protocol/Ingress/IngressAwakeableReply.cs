using System.Buffers;

namespace Ambrosia.Protocol.Ingress;

/// <summary>What the completion of an awakeable is told: <c>AwakeableReply</c> of <c>ambrosia/v1/ingress.proto</c>.</summary>
/// <param name="IsTaken">Whether the app has taken it. Else it is in the log, which has the number that it has in <c>CallReply</c>.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct IngressAwakeableReply(bool IsTaken)
{
    /// <summary>Appends it.</summary>
    public void Write(IBufferWriter<byte> output) => new ProtoWriter(output).Bytes(IsTaken ? 2 : 1, [], always: true);
}
