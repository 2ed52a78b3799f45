using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>A number by which an observer recognises a message: from its cause, never from its place in a connection.</summary>
internal static class MessageIdentity
{
    /// <summary>Calls carry an id in their arguments; of a reply only one goes to a caller for each of its call numbers.</summary>
    public static ulong Of(ReadOnlySpan<byte> rpc)
    {
        RpcHeader header = RpcHeader.Read(rpc);
        return header.Form == RpcForm.Call ? Bits.Hash(rpc) : Bits.Mix(0x5EF1, (ulong)header.CallNumber * 4 + (ulong)header.Form);
    }
}
