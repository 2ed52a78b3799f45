using System.IO.Pipelines;

namespace Ambrosia.Replay;

/// <summary>One end of a connection in memory.</summary>
internal sealed class PipePair(PipeReader input, PipeWriter output) : IDuplexPipe
{
    /// <inheritdoc/>
    public PipeReader Input => input;

    /// <inheritdoc/>
    public PipeWriter Output => output;
}
