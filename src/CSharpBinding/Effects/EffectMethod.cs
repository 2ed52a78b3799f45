using System.ComponentModel;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>A method of an effect interface: how its arguments become a call of the class that performs it.</summary>
/// <param name="id">Its number in the log and in checkpoints.</param>
/// <param name="name">Its name.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class EffectMethod(int id, string name)
{
    /// <summary>Its number in the log and in checkpoints.</summary>
    public int Id { get; } = id;

    /// <summary>Its name, for people.</summary>
    public string Name { get; } = name;

    /// <summary>How it is tried again.</summary>
    public EffectPolicy Policy { get; init; } = EffectPolicy.Default;

    /// <summary>Whether each waits for the outcome of the one before it.</summary>
    public bool OneAtATime { get; init; }

    /// <summary>Decodes the arguments of one effect into a call that gives the encoded result.</summary>
    /// <param name="arguments">As they were asked for.</param>
    /// <param name="library">What reads and writes values that MessagePack-CSharp knows.</param>
    /// <exception cref="MessagePackException">They are not such arguments.</exception>
    internal abstract EffectCall Decode(ReadOnlySpan<byte> arguments, MessagePackLibrary library);
}
