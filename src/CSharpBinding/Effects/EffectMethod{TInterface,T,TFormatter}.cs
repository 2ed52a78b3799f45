using System.Buffers;
using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>A method of an effect interface with a result.</summary>
/// <param name="id">Its number in the log and in checkpoints.</param>
/// <param name="name">Its name.</param>
/// <param name="decode">Reads its arguments; generated.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class EffectMethod<TInterface, T, TFormatter>(int id, string name, EffectDecoder<TInterface, Task<T>> decode)
    : EffectMethod(id, name)
    where TInterface : class
    where TFormatter : struct, IFormatter<T>
{
    internal override EffectCall Decode(ReadOnlySpan<byte> arguments, MessagePackLibrary library)
    {
        var reader = new MessagePackReader(arguments, library);
        Func<TInterface, EffectContext, Task<T>> call = decode(ref reader);
        return async (performer, effect) => Encode(await call((TInterface)performer, effect), library);
    }

    private ReadOnlyMemory<byte> Encode(T value, MessagePackLibrary library)
    {
        try
        {
            var bytes = new ArrayBufferWriter<byte>();
            var writer = new MessagePackWriter(bytes, library);
            default(TFormatter).Write(ref writer, value);
            writer.Flush();
            return bytes.WrittenMemory;
        }
        catch (Exception error) when (!ProcessFailure.Is(error))
        {
            throw new EffectResultException($"{Name} was performed, but its result cannot be encoded: {error.Message}", error);
        }
    }
}
