using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// What precedes the arguments or the value of an RPC in delivery form. Call: form · zig-zag method id · kind · for Async zig-zag length
/// and UTF-8 of the caller's name and zig-zag call number. Reply: form · zig-zag method id · kind 1 · zig-zag call number. Valid if and
/// only if the form is 0 to 3, the id fits 32 bits, the kind fits the form, a caller is an instance name and every field is there.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
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
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // Every message passes here, and the native compiler does not know that it does.
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
            caller = ReadCaller(ref reader);
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

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static RpcForm ReadForm(ref ByteReader reader)
    {
        byte form = reader.ReadByte("RPC form");
        if (form > (byte)RpcForm.Exception)
        {
            ThrowForm(form);
        }

        return (RpcForm)form;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long ReadMethod(ref ByteReader reader)
    {
        long method = reader.ReadZigZag("RPC method id");
        if (method is < int.MinValue or > int.MaxValue)
        {
            ThrowMethod(method);
        }

        return method;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static RpcKind ReadKind(ref ByteReader reader, RpcForm form)
    {
        byte kind = reader.ReadByte("RPC kind");
        if (form == RpcForm.Call ? kind > (byte)RpcKind.Impulse : kind != (byte)RpcKind.Fork)
        {
            ThrowKind(form, kind, reader.Offset - 1);
        }

        return (RpcKind)kind;
    }

    private static ReadOnlySpan<byte> ReadCaller(scoped ref ByteReader reader)
    {
        long length = reader.ReadZigZag("caller length");
        if (length is < 1 or > InstanceName.MaxLength)
        {
            ThrowCallerLength(length, reader.Offset);
        }

        ReadOnlySpan<byte> caller = reader.ReadBytes((int)length, "caller");
        return InstanceName.IsValid(caller) ? caller : throw new ProtocolException("caller is not an instance name", reader.Offset);
    }

    // Apart, for a text with values in it makes whatever method it stands in clear its locals.
    [DoesNotReturn]
    private static void ThrowForm(byte form) => throw new ProtocolException($"RPC of form {form}", 0);

    [DoesNotReturn]
    private static void ThrowMethod(long method) => throw new ProtocolException($"method id {method} exceeds 32 bits", 1);

    [DoesNotReturn]
    private static void ThrowKind(RpcForm form, byte kind, int offset) =>
        throw new ProtocolException($"RPC of form {(byte)form} and kind {kind}", offset);

    [DoesNotReturn]
    private static void ThrowCallerLength(long length, int offset) => throw new ProtocolException($"caller name of {length} bytes", offset);
}
