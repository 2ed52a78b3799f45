using System.IO.Pipelines;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>
/// The largest message under which a record was executed first, in-stream before it: what a handler could send then, it can send at a
/// replay.
/// </summary>
/// <param name="output">To the app.</param>
/// <param name="limits">What is accepted from the app.</param>
/// <param name="tells">Whether the app takes it.</param>
internal sealed class StreamedLimit(PipeWriter output, AppLimits limits, bool tells)
{
    /// <summary>Largest message that a handler may send after the last record written; 0: not known.</summary>
    public long LargestMessage { get; private set; }

    /// <summary>Counts from the record that follows.</summary>
    public void Apply(long largestMessage)
    {
        if (largestMessage == 0 || largestMessage == LargestMessage)
        {
            return;
        }

        LargestMessage = largestMessage;
        limits.Allow(largestMessage);
        if (tells)
        {
            Span<byte> data = stackalloc byte[HandlerLimits.MaxSize];
            Version2Framing.WriteMessage(output, BindingMessageType.Limits, data[..new HandlerLimits(largestMessage).Write(data)]);
        }
    }
}
