using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>The hash by which replicas, simulator, debugger and retroactive tests compare states.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class StateHash
{
    /// <summary>
    /// SHA-256 of the graph's bytes in canonical order. Equal for a replica that was restored and one that never was: the order of hash
    /// collections with ordered keys, the identity of equal strings, and stack traces are left out.
    /// </summary>
    public static byte[] Compute(IReadOnlyList<object?> roots, GraphOptions options)
    {
        using HashWriter writer = new();
        GraphWriter.Write(writer, roots, options, canonical: true);
        return writer.Finish();
    }
}
