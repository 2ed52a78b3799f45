using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// What precedes the arguments or the value of an RPC in delivery form. Call: form · zig-zag method id · kind · for Async
/// zig-zag length and UTF-8 of the caller's name and zig-zag call number. Reply: form · zig-zag method id · kind 1 · zig-zag call number.
/// </summary>
public readonly ref struct RpcHeader
{
    private RpcHeader(RpcForm form, RpcKind kind, int methodId, ReadOnlySpan<byte> caller, long callNumber, ReadOnlySpan<byte> body)
    {
        Form = form;
        Kind = kind;
        MethodId = methodId;
        Caller = caller;
        CallNumber = callNumber;
        Body = body;
    }

    /// <summary>Call or reply.</summary>
    public RpcForm Form { get; }

    /// <summary>Async, fork or impulse.</summary>
    public RpcKind Kind { get; }

    /// <summary>Method called; negative ids are reserved.</summary>
    public int MethodId { get; }

    /// <summary>UTF-8 name of the instance that waits for the reply; empty unless an async call.</summary>
    public ReadOnlySpan<byte> Caller { get; }

    /// <summary>Number that ties a reply to its call.</summary>
    public long CallNumber { get; }

    /// <summary>Arguments, value or exception.</summary>
    public ReadOnlySpan<byte> Body { get; }

    /// <summary>The caller's name.</summary>
    public string CallerName => Encoding.UTF8.GetString(Caller);

    /// <summary>Reads the data of a type 0 message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static RpcHeader Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        byte form = reader.ReadByte("RPC form");
        long method = reader.ReadZigZag("RPC method id");
        byte kind = reader.ReadByte("RPC kind");
        if (form > (byte)RpcForm.Exception || kind > (byte)RpcKind.Impulse || method is < int.MinValue or > int.MaxValue)
        {
            throw new ProtocolException($"RPC of form {form}, method {method}, kind {kind}", 0);
        }

        ReadOnlySpan<byte> caller = default;
        long number = 0;
        if (form != (byte)RpcForm.Call)
        {
            number = reader.ReadZigZag("reply call number");
        }
        else if (kind == (byte)RpcKind.Async)
        {
            long length = reader.ReadZigZag("caller length");
            if (length is < 0 or > InstanceName.MaxLength)
            {
                throw new ProtocolException($"caller name of {length} bytes", reader.Offset);
            }

            caller = reader.ReadBytes((int)length, "caller");
            number = reader.ReadZigZag("call number");
        }

        return new RpcHeader((RpcForm)form, (RpcKind)kind, (int)method, caller, number, reader.Rest);
    }

    /// <summary>Tells impulses from replayable messages by the three leading fields only.</summary>
    /// <exception cref="ProtocolException">The data ends before the kind.</exception>
    public static bool IsImpulse(ReadOnlySpan<byte> data)
    {
        if (data.Length < 3 || !Varint.TryRead(data[1..], out _, out int size) || data.Length < 2 + size)
        {
            throw new ProtocolException("RPC ends before its kind", data.Length);
        }

        return data[0] == (byte)RpcForm.Call && data[1 + size] == (byte)RpcKind.Impulse;
    }
}
