using System.Buffers;
using System.Text;
using System.Text.Json;
using Ambrosia.Runtime;

namespace Ambrosia.Simulation.Tests;

/// <summary>A state as text, for traces.</summary>
internal static class StateText
{
    public static string Of(IReadOnlyList<object?> roots)
    {
        var bytes = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(bytes))
        {
            StateJson.Write(json, roots);
        }

        return Encoding.UTF8.GetString(bytes.WrittenSpan);
    }
}
