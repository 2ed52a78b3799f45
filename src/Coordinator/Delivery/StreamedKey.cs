using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// By what awakeables are named, in-stream before the first record of which that is true: a replay names them alike (outside-calls.md X32).
/// </summary>
/// <param name="output">To the app.</param>
/// <param name="tells">Whether the app takes it.</param>
internal sealed class StreamedKey(PipeWriter output, bool tells)
{
    /// <summary>What is true after the last record written; null: there are no awakeables.</summary>
    public AwakeableKey? Key { get; private set; }

    /// <summary>Counts from the record that follows; null: as before.</summary>
    public void Apply(AwakeableKey? key)
    {
        if (key is null || key.Equals(Key))
        {
            return;
        }

        Key = key;
        if (tells)
        {
            var data = new ArrayBufferWriter<byte>();
            key.Write(data);
            Version2Framing.WriteMessage(output, BindingMessageType.Awakeables, data.WrittenSpan);
        }
    }
}
