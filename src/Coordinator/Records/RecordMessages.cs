using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>Finds the messages in a record's payload, those inside of batches included, in the order of execution.</summary>
public static class RecordMessages
{
    /// <summary>
    /// Says where each message lies, its size and type in front included; returns how many there are, those for which there was no room
    /// counted.
    /// </summary>
    /// <exception cref="ProtocolException">The payload does not consist of messages.</exception>
    public static int Locate(ReadOnlySpan<byte> payload, Span<(int Start, int Length)> messages) =>
        Locate(payload, 0, payload.Length, messages, 0);

    /// <summary>The data of a message: what stands behind its size and type.</summary>
    public static ReadOnlySpan<byte> DataOf(ReadOnlySpan<byte> framed)
    {
        Varint.TryReadZigZag(framed, out _, out int prefix);
        return framed[(prefix + 1)..];
    }

    private static int Locate(ReadOnlySpan<byte> payload, int start, int end, Span<(int Start, int Length)> messages, int found)
    {
        var scanner = new MessageScanner(payload[start..end]);
        while (scanner.MoveNext())
        {
            if (scanner.Type == BindingMessageType.Rpc)
            {
                if (found < messages.Length)
                {
                    messages[found] = (start + scanner.Start, scanner.Offset - scanner.Start);
                }

                found++;
                continue;
            }

            found = Locate(payload, start + scanner.Offset - scanner.Batch.Length, start + scanner.Offset, messages, found);
        }

        return found;
    }
}
