using Ambrosia.ImmortalCoordinator.Failpoints;
using Ambrosia.ImmortalCoordinator.Hosting;
using Ambrosia.ImmortalCoordinator.Ingest;
using Ambrosia.ImmortalCoordinator.Peers;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.LogStore.Files;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>
/// Ends the wait for a destination that is away for longer than <c>--drop-outputs-after</c> while the app waits for its share of the
/// scratch space (docs/exactly-once.md H26): what waits for it is kept in a file, then the decision is logged, and only when that is
/// durable the messages are gone. One decision at a time.
/// </summary>
internal sealed class OutputDropper(
    CoordinatorOptions options, OutputTable outputs, SpillBudget spill, PendingMarks pending, Action flush, IFileSystem files,
    string folder, ulong epoch, CoreCounters counters, ILogger logger)
{
    private TaskCompletionSource? _durable;
    private int _decisions;

    /// <summary>The link to a destination whose outputs are to be dropped now; null: none are.</summary>
    public PeerOutputLink? Choose(IReadOnlyList<PeerOutputLink> links)
    {
        if (_durable is not null)
        {
            return null;
        }

        return links.FirstOrDefault(link =>
            spill.Awaited.Contains(link.Buffer.Destination) && link.TriedInVain >= options.DropOutputsAfter && !link.Buffer.IsEmpty);
    }

    /// <summary>
    /// Drops what waits for the destination of a link that was just chosen. Returns when it is gone, or could not be kept.
    /// </summary>
    public async Task DropAsync(PeerOutputLink link)
    {
        OutputBuffer buffer = link.Buffer;
        double seconds = link.TriedInVain?.TotalSeconds ?? 0;
        var durable = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _durable = durable;
        List<OutputEntry> entries = buffer.BeginDrop(); // From here on nothing is agreed upon with the destination.
        ulong number = buffer.Dropping!.Value;
        string path = await NewPathAsync(buffer.Destination);
        try
        {
            DroppedCounts counts = await DroppedFile.WriteAsync(files, folder, path, entries);
            Failpoint.Pass("K29");
            pending.Add(new DropMark(buffer.Destination, number));
            flush();
            await durable.Task;
            counters.Dropped += counts.Messages + counts.Impulses;
            CoreLog.OutputsDropped(
                logger, buffer.Destination, seconds, counts.Messages, counts.Impulses, number, counts.Calls, options.InstanceName, path);
        }
        catch (FileFailedException error)
        {
            CoreLog.OutputsNotDropped(logger, buffer.Destination, folder, error.Message, options.InstanceName);
            buffer.GiveUpDrop();
        }
        finally
        {
            entries.ForEach(static entry => entry.Chunk.Release());
            _durable = null;
        }
    }

    // The folder may be shared, or older than the log: nothing that is there is touched.
    private async ValueTask<string> NewPathAsync(string destination)
    {
        while (true)
        {
            string path = DroppedFile.PathOf(folder, destination, epoch, ++_decisions);
            if (await files.StatAsync(path) is null)
            {
                return path;
            }
        }
    }

    /// <summary>Decisions of a durable record: the one place from which outputs go.</summary>
    public void BecameDurable(List<DropMark> marks)
    {
        foreach (DropMark mark in marks)
        {
            outputs.Get(mark.Destination).Drop(mark.Number);
            _durable?.TrySetResult();
        }
    }

    /// <summary>The log ends: no decision becomes durable any more.</summary>
    public void Abandon() => _durable?.TrySetCanceled();
}
