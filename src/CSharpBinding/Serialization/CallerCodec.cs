using System.Buffers;
using System.ComponentModel;
using Ambrosia.Runtime;
using MessagePack;

namespace Ambrosia.Serialization;

/// <summary>
/// Arguments and answers for a caller that is no immortal: what a generated proxy of a client writes and reads. Used by several threads at
/// once.
/// </summary>
/// <param name="resolver">What MessagePack-CSharp is asked for after an interface's own; null for its standard alone.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CallerCodec(IFormatterResolver? resolver)
{
    private readonly MessagePackLibrary _library = resolver is null ? MessagePackLibrary.Default : new MessagePackLibrary(resolver);

    /// <summary>Begins to write arguments.</summary>
    /// <param name="sizeHint">About so many bytes.</param>
    public OutgoingCall Begin(int sizeHint) => new(new ArrayBufferWriter<byte>(Math.Max(16, sizeHint)), _library);

    /// <summary>The arguments that were written.</summary>
    /// <param name="call">What <see cref="Begin"/> gave.</param>
    public static ReadOnlyMemory<byte> End(ref OutgoingCall call)
    {
        call.Arguments.Flush();
        return (call.Scratch ?? throw new InvalidOperationException("These arguments were begun by no caller.")).WrittenMemory;
    }

    /// <summary>Reads a result.</summary>
    /// <exception cref="InvalidDataException">The bytes are none of this type.</exception>
    public T Read<T, TFormatter>(ReadOnlySpan<byte> bytes)
        where TFormatter : struct, IFormatter<T>
    {
        try
        {
            var reader = new MessagePackReader(JsonForm.Reply(bytes), _library) { Subject = "result" };
            return default(TFormatter).Read(ref reader);
        }
        catch (Exception error) when (error is MessagePackException or MessagePackSerializationException or System.Text.Json.JsonException)
        {
            throw new InvalidDataException($"The result cannot be read: {error.Message}", error);
        }
    }

    /// <summary>
    /// Reads the exception of a handler: one of .NET's own by its type, one that an interface declares with its data, any other as
    /// <see cref="RemoteException"/>; and one of cancellation as that, too, because nothing was cancelled here.
    /// </summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="proxy">The generated proxy: its assembly, and those that this one refers to, declare exceptions.</param>
    /// <exception cref="InvalidDataException">The bytes are none.</exception>
    public static Exception ReadException(ReadOnlySpan<byte> bytes, Type proxy)
    {
        try
        {
            Exception error = ExceptionCodec.Read(JsonForm.Reply(bytes), DeclaredExceptions.Of(proxy));
            return error is OperationCanceledException { InnerException: RemoteException remote } ? remote : error;
        }
        catch (Exception error) when (error is MessagePackException or System.Text.Json.JsonException)
        {
            throw new InvalidDataException($"The exception of the handler cannot be read: {error.Message}", error);
        }
    }
}
