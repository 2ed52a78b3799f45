using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.Simulation.Tests;

/// <summary>A number by which an observer recognises a message: from its cause, never from its place in a connection.</summary>
internal static class MessageIdentity
{
    /// <summary>Calls carry an id in their arguments; of a reply only one of each kind goes to a caller for each of its call
    /// numbers.</summary>
    public static ulong Of(ReadOnlySpan<byte> rpc)
    {
        RpcHeader header = RpcHeader.Read(rpc);
        if (header.Form == RpcForm.Call)
        {
            return Bits.Hash(rpc);
        }

        ulong reply = Bits.Mix(0x5EF1, (ulong)header.CallNumber * 4 + (ulong)header.Form);
        // A call that was taken out has been answered, and is answered again when it was re-driven. Not the whole body: it may hold a stack
        // trace.
        return header.Form == RpcForm.Exception ? Bits.Mix(reply, Bits.Hash(ExceptionCodec.Read(header.Body).Message)) : reply;
    }
}
