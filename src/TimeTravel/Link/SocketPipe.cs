using System.IO.Pipelines;
using System.Net.Sockets;

namespace Ambrosia.TimeTravel.Link;

/// <summary>A connected socket as a pair of pipes.</summary>
internal sealed class SocketPipe : IDuplexPipe, IAsyncDisposable
{
    private readonly NetworkStream _stream;

    public SocketPipe(Socket socket)
    {
        _stream = new NetworkStream(socket, ownsSocket: true);
        Input = PipeReader.Create(_stream, new StreamPipeReaderOptions(bufferSize: 256 * 1024, minimumReadSize: 4096, leaveOpen: true));
        Output = PipeWriter.Create(_stream, new StreamPipeWriterOptions(minimumBufferSize: 64 * 1024, leaveOpen: true));
    }

    /// <inheritdoc/>
    public PipeReader Input { get; }

    /// <inheritdoc/>
    public PipeWriter Output { get; }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _stream.DisposeAsync();
}
