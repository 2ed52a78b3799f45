using System.IO.Pipelines;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>One end of an in-memory connection.</summary>
internal sealed class DuplexPipe(PipeReader input, PipeWriter output) : IDuplexPipe
{
    public PipeReader Input { get; } = input;

    public PipeWriter Output { get; } = output;

    public static (DuplexPipe Coordinator, DuplexPipe App) Create(int segment = 4096)
    {
        var options = new PipeOptions(minimumSegmentSize: segment, pauseWriterThreshold: 16 << 20, resumeWriterThreshold: 8 << 20,
            useSynchronizationContext: false);
        var down = new Pipe(options);
        var up = new Pipe(options);
        return (new DuplexPipe(up.Reader, down.Writer), new DuplexPipe(down.Reader, up.Writer));
    }
}
