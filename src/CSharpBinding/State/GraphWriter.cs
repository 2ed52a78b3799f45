using System.Buffers;
using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>Writes an immortal's state and its suspended calls as one object graph, with the identity of every object kept.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class GraphWriter
{
    /// <summary>Writes everything that can be reached from the roots. The output is streamed: no part of it is held in memory.</summary>
    /// <exception cref="CannotSaveException">Something that cannot be saved can be reached; the message says where it hangs.</exception>
    public static void Write(IBufferWriter<byte> output, IReadOnlyList<object?> roots, GraphOptions options) =>
        Write(output, roots, options, canonical: false);

    internal static void Write(IBufferWriter<byte> output, IReadOnlyList<object?> roots, GraphOptions options, bool canonical)
    {
        ArgumentNullException.ThrowIfNull(output);
        ArgumentNullException.ThrowIfNull(roots);
        ArgumentNullException.ThrowIfNull(options);
        WriteSession session = new(output, options, StateForms.Instance, canonical);
        try
        {
            session.Write(roots);
        }
        catch (UnsavableTypeException e)
        {
            string path = e.Path
                ?? (session.Holder is { } holder && session.Newest is { } newest ? StatePath.Of(holder, newest) : "The state itself");
            throw new CannotSaveException(path, TypeNames.Display(e.Type), e.Advice);
        }
    }
}
