using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// What the newest checkpoint says of versions. A primary that commits an upgrade has the right to append and the lease of the
/// checkpointer: so the next holder of one of them finds here what a primary committed that died before its record could be read.
/// </summary>
internal static class CommittedVersion
{
    /// <summary>Reads it.</summary>
    /// <param name="log">The log.</param>
    /// <param name="known">The versions that this process knows.</param>
    /// <param name="instance">Name of the instance.</param>
    /// <param name="executes">Told of the build that executes after the checkpoint, if it names one.</param>
    /// <exception cref="Errors.CoordinatorException">The checkpoint is of a version that this process does not know.</exception>
    public static async ValueTask RequireKnownAsync(WriteAheadLog log, UpgradeHistory known, string instance, Action<BuildStep> executes)
    {
        if (await log.OpenNewestCheckpointAsync() is { } reader)
        {
            await using CheckpointImage image = await OpenReadableAsync(log, reader);
            if (image.Head.Upgrades.Find(mark => mark.At > known.Newest) is { } unknown)
            {
                throw CoreFailures.Upgraded(instance, unknown);
            }

            if (image.Head.Build is { } build)
            {
                executes(build);
            }
        }
    }

    // To read all of it would take as long as the state is large; only if it is damaged the next valid one is looked for. An upgrade that
    // only the damaged one knew has not happened: nobody has acted after it.
    private static async ValueTask<CheckpointImage> OpenReadableAsync(WriteAheadLog log, CheckpointReader newest)
    {
        try
        {
            return await CheckpointImage.OpenAsync(newest);
        }
        catch (CheckpointGoneException)
        {
            await newest.DisposeAsync();
            return await CheckpointImage.OpenAsync(log, new Lsn(ulong.MaxValue));
        }
    }
}
