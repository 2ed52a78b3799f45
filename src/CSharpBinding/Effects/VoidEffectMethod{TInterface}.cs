using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>A method of an effect interface without a result.</summary>
/// <param name="id">Its number in the log and in checkpoints.</param>
/// <param name="name">Its name.</param>
/// <param name="decode">Reads its arguments; generated.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class VoidEffectMethod<TInterface>(int id, string name, EffectDecoder<TInterface, Task> decode) : EffectMethod(id, name)
    where TInterface : class
{
    internal override EffectCall Decode(ReadOnlySpan<byte> arguments, MessagePackLibrary library)
    {
        var reader = new MessagePackReader(arguments, library);
        Func<TInterface, EffectContext, Task> call = decode(ref reader);
        return async (performer, effect) =>
        {
            await call((TInterface)performer, effect);
            return default;
        };
    }
}
