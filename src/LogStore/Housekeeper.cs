using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Loops;
using Ambrosia.Shared.Loops;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore;

/// <summary>The loop for what nobody waits for: releasing old log, preparing the next segment. Its failures never stop the log.</summary>
internal sealed class Housekeeper(ILogStorage storage, CheckpointStore checkpoints, LogTrimmer trimmer, ILogger logger) : IAsyncDisposable
{
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
        _stopping = true;
        _work.Set();
        await _running;
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

                await trimmer.TrimAsync();
                if (_preparing && !_stopping)
                {
                    _preparing = false;
                    await storage.PrepareSpaceAsync();
                }
            }
            catch (Exception error) when (error is FileFailedException or LogStoreException)
            {
                LogStoreLog.PreparationFailed(logger, error.Message);
            }
        }
    }
}
