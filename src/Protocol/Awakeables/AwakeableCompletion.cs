using System.Buffers;
using System.Text;

namespace Ambrosia.Protocol;

/// <summary>
/// Arguments of the call that completes an awakeable (<see cref="ReservedMethods.AwakeableDone"/>): zigzag number · byte form · value, or
/// why it is rejected. The call's reply is a value: MessagePack 0 taken · 1 not open · a text: not understood, and why; it is open still.
/// </summary>
/// <param name="Number">Number of the awakeable among the app's calls.</param>
/// <param name="Form">How it is completed.</param>
/// <param name="Body">The value, or why it is rejected.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct AwakeableCompletion(long Number, AwakeableForm Form, ReadOnlyMemory<byte> Body)
{
    /// <summary>Longest reason of a rejection, in bytes.</summary>
    public const int MaxReason = 8192;

    /// <summary>The reply of an app that takes it.</summary>
    public const byte Taken = 0;

    /// <summary>The reply of an app in which the awakeable is not open, or no longer.</summary>
    public const byte NotOpen = 1;

    /// <summary>Writes the arguments.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteZigZag(Number);
        writer.WriteByte((byte)Form);
        writer.WriteBytes(Body.Span);
    }

    /// <summary>Why it is rejected.</summary>
    public string Reason => Encoding.UTF8.GetString(Body.Span);

    /// <summary>
    /// Whether a message is a call that completes an awakeable: an async one from outside. Nobody else can send one (X30, X31).
    /// </summary>
    public static bool IsOne(in RpcHeader message) =>
        message is { Form: RpcForm.Call, MethodId: ReservedMethods.AwakeableDone, Kind: RpcKind.Async }
        && message.Caller.SequenceEqual(InstanceName.OutsideBytes);

    /// <summary>Reads arguments: valid if and only if the number is above 0 and the form is known.</summary>
    public static bool TryRead(ReadOnlySpan<byte> arguments, out AwakeableCompletion completion)
    {
        completion = default;
        if (!Varint.TryReadZigZag(arguments, out long number, out int read) || number <= 0 || arguments.Length == read
            || (AwakeableForm)arguments[read] is not (AwakeableForm.Value or AwakeableForm.Rejection))
        {
            return false;
        }

        completion = new AwakeableCompletion(number, (AwakeableForm)arguments[read], arguments[(read + 1)..].ToArray());
        return true;
    }
}
