using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives.Loops;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore;

/// <summary>The loop for what nobody waits for: releasing old log, preparing the next segment. Its failures never stop the log.</summary>
internal sealed class Housekeeper(ILogStorage storage, CheckpointStore checkpoints, LogTrimmer trimmer, TimeProvider time, ILogger logger)
    : IAsyncDisposable
{
    // Of a checkpoint that is only read to see whether it is good: nobody waits for that, and processors and device are the log's, too.
    private const long VerifiedPerSecond = 64 << 20;
    private readonly CancellationTokenSource _ending = new();
    private readonly AsyncSignal _work = new();
    private Task _running = Task.CompletedTask;
    private volatile bool _stopping;
    private volatile bool _preparing;
    private volatile bool _adopting;

    /// <summary>Called when a checkpoint of another replica was adopted.</summary>
    public Action<ManifestEntry>? Adopted { get; set; }

    public void Start(ILoopRunner loops, string instance) => _running = loops.StartInBackground($"log housekeeping {instance}", RunAsync);

    /// <summary>Old log may have become dispensable.</summary>
    public void Wake() => _work.Set();

    /// <summary>The next segment comes into sight.</summary>
    public void WakeToPrepare()
    {
        _preparing = true;
        _work.Set();
    }

    /// <summary>Another replica may have written a checkpoint.</summary>
    public void WakeToAdopt()
    {
        _adopting = true;
        _work.Set();
    }

    public async ValueTask DisposeAsync()
    {
        if (!_stopping)
        {
            _stopping = true;
            _ending.Cancel(); // Not CancelAsync, which goes through the pool: what waits here goes on where it belongs.
        }

        _work.Set();
        await _running;
        _ending.Dispose(); // Not before: the task that prepares a segment meanwhile looks at it once more.
    }

    /// <summary>
    /// Leaves device and processors to others between two pieces, and prepares the next segment when it is time for that.
    /// </summary>
    public CheckpointPace VerifyPace() => CheckpointPace.OfReading(VerifiedPerSecond, time, RestAsync);

    private async ValueTask RestAsync(TimeSpan rest)
    {
        await PrepareAsync();
        await Pause.ForAsync(rest, time, _ending.Token);
    }

    private async ValueTask PrepareAsync()
    {
        if (_preparing && !_stopping)
        {
            _preparing = false;
            await storage.PrepareSpaceAsync();
        }
    }

    private async Task RunAsync()
    {
        while (!_stopping)
        {
            await _work.WaitAsync();
            try
            {
                if (_adopting)
                {
                    _adopting = false;
                    if (await checkpoints.AdoptAsync() is { } adopted)
                    {
                        Adopted?.Invoke(adopted);
                    }
                }

                await trimmer.TrimAsync(VerifyPace());
                await PrepareAsync();
            }
            catch (OperationCanceledException) when (_stopping)
            {
                // It was just reading a checkpoint.
            }
            catch (Exception error) when (error is FileFailedException or LogStoreException)
            {
                LogStoreLog.PreparationFailed(logger, error.Message);
            }
        }
    }
}
