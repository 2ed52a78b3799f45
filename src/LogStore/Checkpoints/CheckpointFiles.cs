using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>Opens checkpoints of one log. What is in them is not read.</summary>
internal sealed class CheckpointFiles(ILogStorage storage, SegmentIndex index, ILogger logger)
{
    /// <summary>Opens the newest checkpoint that can be opened, without verifying what is in it.</summary>
    public async ValueTask<CheckpointReader?> OpenNewestAsync()
    {
        foreach (Lsn lsn in await storage.ListCheckpointsAsync())
        {
            try
            {
                if (await OpenAsync(lsn) is { } reader)
                {
                    return reader;
                }
            }
            catch (LogCorruptException error)
            {
                LogStoreLog.CheckpointDamaged(logger, lsn, error.File, error.Offset);
            }
        }

        return null;
    }

    /// <summary>Opens one checkpoint; null when there is none.</summary>
    public async ValueTask<CheckpointReader?> OpenAsync(Lsn lsn)
    {
        if (await storage.OpenCheckpointAsync(lsn) is not { } file)
        {
            return null;
        }

        try
        {
            CheckpointReader reader = await CheckpointReader.OpenAsync(file, lsn);
            RequireSameLog(reader);
            return reader;
        }
        catch (LogStoreException)
        {
            await file.DisposeAsync();
            throw;
        }
    }

    /// <summary>The same; null also when its head is damaged.</summary>
    public async ValueTask<CheckpointReader?> TryOpenAsync(Lsn lsn)
    {
        try
        {
            return await OpenAsync(lsn);
        }
        catch (LogCorruptException)
        {
            return null; // Looked at again, and spoken of if it is damaged.
        }
    }

    /// <summary>What the manifest says of a checkpoint that another replica has verified; null when it is gone or cannot be used.</summary>
    public async ValueTask<ManifestEntry?> TryDescribeAsync(Lsn lsn)
    {
        try
        {
            await using CheckpointReader? reader = await OpenAsync(lsn);
            return reader is null ? null : new ManifestEntry(lsn, reader.Header.Epoch, reader.FileBytes);
        }
        catch (LogStoreException error)
        {
            LogStoreLog.CheckpointDamaged(logger, lsn, error.Message, 0);
            return null;
        }
    }

    private void RequireSameLog(CheckpointReader reader)
    {
        if (index.Last is { } segment && segment.InstanceId != reader.Header.InstanceId)
        {
            throw new LogStoreException(StoreErrors.LogOfAnother,
                $"the checkpoint belongs to another log (id {reader.Header.InstanceId}, ours is {segment.InstanceId})", reader.FileName,
                "nothing was changed", "remove the file that was copied here from elsewhere");
        }
    }
}
