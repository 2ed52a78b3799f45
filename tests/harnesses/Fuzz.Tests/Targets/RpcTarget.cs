using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>What precedes the arguments of an RPC.</summary>
internal sealed class RpcTarget : FuzzTarget
{
    public override string Name => "rpc";

    public override int Weight => 16;

    public override int Largest => 256;

    public override IEnumerable<byte[]> Seeds() => Vectors.Of("rpc");

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        RpcHeader header = RpcHeader.Read(input.Span);
        Require(RpcHeader.IsImpulse(input.Span) == (header is { Form: RpcForm.Call, Kind: RpcKind.Impulse }), "both readings agree");
        Require(input.Span.EndsWith(header.Body), "the arguments are what is left");
        Require(header.Caller.IsEmpty == !(header is { Form: RpcForm.Call, Kind: RpcKind.Async }),
            "exactly asynchronous calls have a caller");
        Require(header.Caller.IsEmpty || InstanceName.IsValid(header.CallerName), "a caller is an instance name");
        Span<byte> again = stackalloc byte[128];
        Require(input.Span.Length - header.Body.Length >= Write(header, again), "the shortest form is written");
        RpcHeader same = RpcHeader.Read(again);
        Require(same.Form == header.Form && same.Kind == header.Kind && same.MethodId == header.MethodId
            && same.CallNumber == header.CallNumber && same.Caller.SequenceEqual(header.Caller),
            "what was written again reads as the same");
        return Accepted;
    }

    private static int Write(in RpcHeader header, Span<byte> to)
    {
        int at = 0;
        to[at++] = (byte)header.Form;
        at += Varint.WriteZigZag(to[at..], header.MethodId);
        to[at++] = (byte)header.Kind;
        if (!header.Caller.IsEmpty)
        {
            at += Varint.WriteZigZag(to[at..], header.Caller.Length);
            header.Caller.CopyTo(to[at..]);
            at += header.Caller.Length;
        }

        return header.Form == RpcForm.Call && header.Kind != RpcKind.Async ? at : at + Varint.WriteZigZag(to[at..], header.CallNumber);
    }
}
