using System.Buffers;
using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>Reads what <see cref="GraphWriter"/> wrote, in any later process.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class GraphReader
{
    /// <summary>Reads a graph and returns its roots.</summary>
    /// <param name="source">Read up to <paramref name="length"/> bytes from its position on; blocks while it has none.</param>
    /// <param name="length">The exact length of the graph. Nothing is allocated that so many bytes could not describe.</param>
    /// <param name="existingRoots">Where an entry is not null, the root in that place is read into that object, which the host made by its
    /// constructor: saved fields are overwritten, fields that are not saved keep what the constructor gave them.</param>
    /// <param name="options">What the state may consist of.</param>
    /// <exception cref="StateFormatException">The bytes are damaged; nothing that was read must be used.</exception>
    /// <exception cref="CannotResumeException">The state needs code that this build does not have.</exception>
    public static object?[] Read(Stream source, long length, IReadOnlyList<object?> existingRoots, GraphOptions options)
    {
        ArgumentNullException.ThrowIfNull(source);
        ArgumentNullException.ThrowIfNull(existingRoots);
        ArgumentNullException.ThrowIfNull(options);
        ReadSession session = new(source, length, options, StateForms.Instance);
        try
        {
            return session.Read(existingRoots);
        }
        catch (Exception e) when (e is ArgumentException or InvalidCastException or OverflowException or UnsavableTypeException
            or FormatException)
        {
            // The constructors of .NET's types check what they are made from: dates, numbers, keys that occur twice.
            throw new StateFormatException($"a value that cannot be ({e.Message})", session.Position, e);
        }
    }

    /// <inheritdoc cref="Read(Stream, long, IReadOnlyList{object}, GraphOptions)"/>
    public static object?[] Read(ReadOnlySequence<byte> source, IReadOnlyList<object?> existingRoots, GraphOptions options)
    {
        using SequenceStream stream = new(source);
        return Read(stream, source.Length, existingRoots, options);
    }
}
