using Ambrosia.Protocol;

namespace Ambrosia.Cli.History.Tracing;

/// <summary>One executed message as a part of a trace.</summary>
/// <param name="TraceId">32 hexadecimal digits, the same for everything that came of one message from outside.</param>
/// <param name="SpanId">16 hexadecimal digits, the same whenever this message is exported.</param>
/// <param name="Causes">Messages of which one made this one, the likeliest first; empty at the beginning of a trace, or where the sender's
/// log is not at hand.</param>
/// <param name="Answered">When the answer to this call was logged, in ticks; 0 if it is none, or there is no answer.</param>
internal sealed record LogSpan(string TraceId, string SpanId, IReadOnlyList<(string Instance, MessagePosition At)> Causes, long Answered);
