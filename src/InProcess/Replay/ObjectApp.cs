using System.IO.Pipelines;
using Ambrosia.TimeTravel.Link;
using MessagePack;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Replay;

/// <summary>An app that is one object in this process. Each connection makes a fresh one.</summary>
internal sealed class ObjectApp(
    Func<Immortal> create, string instance, ILogger? logger = null, FaultPolicy onFault = FaultPolicy.Continue,
    IFormatterResolver? resolver = null) : IReplayApp
{
    private CancellationTokenSource _stop = new();
    private Task<string>? _running;

    /// <summary>The object of the present connection.</summary>
    public Immortal? Immortal { get; private set; }

    /// <inheritdoc/>
    public string Description => $"{Immortal?.GetType().Name ?? "The immortal"}";

    /// <inheritdoc/>
    public async Task<IDuplexPipe> ConnectAsync(CancellationToken cancellationToken)
    {
        await EndAsync();
        _stop.Dispose();
        _stop = new CancellationTokenSource();
        var buffers = new PipeOptions(pauseWriterThreshold: 1 << 20, resumeWriterThreshold: 1 << 19, minimumSegmentSize: 64 * 1024,
            useSynchronizationContext: false);
        var toApp = new Pipe(buffers);
        var fromApp = new Pipe(buffers);
        Immortal fresh = create();
        Immortal = fresh;
        var options = new ImmortalOptions { InstanceName = instance, OnFault = onFault, Resolver = resolver };
        var host = new ImmortalHost(() => fresh, options, logger);
        _running = host.RunAsync(new PipePair(toApp.Reader, fromApp.Writer), _stop.Token);
        return new PipePair(fromApp.Reader, toApp.Writer);
    }

    /// <inheritdoc/>
    public Task RenewAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task<string?> DeathRecordAsync()
    {
        if (_running is not { } running)
        {
            return null;
        }

        try
        {
            return await running;
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            return $"{error.GetType().Name}: {error.Message}"; // Whatever a handler or the state's reading threw: the replay tells it.
        }
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await EndAsync();
        _stop.Dispose();
    }

    private async Task EndAsync()
    {
        await _stop.CancelAsync();
        await DeathRecordAsync();
    }
}
