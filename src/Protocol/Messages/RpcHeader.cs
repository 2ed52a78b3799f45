using System.Runtime.CompilerServices;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// What precedes the arguments or the value of an RPC in delivery form. Call: form · zig-zag method id · kind · for Async zig-zag length
/// and UTF-8 of the caller's name and zig-zag call number. Reply: form · zig-zag method id · kind 1 · zig-zag call number. Valid if and
/// only if the form is 0 to 3, the id fits 32 bits, the kind fits the form, a caller is an instance name and every field is there.
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

    /// <summary>Bytes at most that <see cref="WriteCall"/> writes.</summary>
    public const int LargestCall = 2 + Varint.MaxSize32;

    /// <summary>
    /// Writes form, method id and kind of a call; returns their size. The arguments follow, in an async call after its caller.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static int WriteCall(Span<byte> destination, int methodId, RpcKind kind)
    {
        destination[0] = (byte)RpcForm.Call;
        int size = 1 + Varint.WriteZigZag(destination[1..], methodId);
        destination[size] = (byte)kind;
        return size + 1;
    }

    /// <summary>Reads the data of a type 0 message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static RpcHeader Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        RpcForm form = ReadForm(ref reader);
        long method = ReadMethod(ref reader);
        RpcKind kind = ReadKind(ref reader, form);
        ReadOnlySpan<byte> caller = default;
        long number = 0;
        if (form != RpcForm.Call)
        {
            number = reader.ReadZigZag("reply call number");
        }
        else if (kind == RpcKind.Async)
        {
            caller = reader.ReadBytes(ReadCallerLength(ref reader), "caller");
            CheckCaller(caller, reader.Offset);
            number = reader.ReadZigZag("call number");
        }

        return new RpcHeader(form, kind, (int)method, caller, number, reader.Rest);
    }

    /// <summary>
    /// Tells impulses from replayable messages, checking the whole header on the way: a message that its app cannot read must be
    /// refused before it is logged, for it would stop the app at every replay.
    /// </summary>
    /// <exception cref="ProtocolException">It is not an RPC in delivery form.</exception>
    public static bool IsImpulse(ReadOnlySpan<byte> data)
    {
        return Read(data) is { Form: RpcForm.Call, Kind: RpcKind.Impulse };
    }

    private static RpcForm ReadForm(ref ByteReader reader)
    {
        byte form = reader.ReadByte("RPC form");
        return form <= (byte)RpcForm.Exception ? (RpcForm)form : throw new ProtocolException($"RPC of form {form}", 0);
    }

    private static long ReadMethod(ref ByteReader reader)
    {
        long method = reader.ReadZigZag("RPC method id");
        return method is >= int.MinValue and <= int.MaxValue ? method : throw new ProtocolException($"method id {method} exceeds 32 bits", 1);
    }

    private static RpcKind ReadKind(ref ByteReader reader, RpcForm form)
    {
        byte kind = reader.ReadByte("RPC kind");
        bool valid = form == RpcForm.Call ? kind <= (byte)RpcKind.Impulse : kind == (byte)RpcKind.Fork;
        return valid ? (RpcKind)kind : throw new ProtocolException($"RPC of form {(byte)form} and kind {kind}", reader.Offset - 1);
    }

    private static int ReadCallerLength(ref ByteReader reader)
    {
        long length = reader.ReadZigZag("caller length");
        return length is >= 1 and <= InstanceName.MaxLength ? (int)length : throw new ProtocolException($"caller name of {length} bytes", reader.Offset);
    }

    private static void CheckCaller(ReadOnlySpan<byte> caller, int offset)
    {
        if (!InstanceName.IsValid(caller))
        {
            throw new ProtocolException("caller is not an instance name", offset);
        }
    }
}
