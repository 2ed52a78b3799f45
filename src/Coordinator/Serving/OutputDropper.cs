using System.Globalization;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Links;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore.Files;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Serving;

/// <summary>
/// Ends the wait for a destination that is away for longer than <c>--drop-outputs-after</c> while the app waits for its share of the
/// scratch space (exactly-once.md H26): what waits for it is kept in a file, then the decision is logged, and only when that is
/// durable the messages are gone. One decision at a time.
/// </summary>
internal sealed class OutputDropper(
    InstanceSettings options, SpillBudget spill, PendingMarks pending, Action flush, IFileSystem files,
    string folder, ulong epoch, TimeProvider time, CoreCounters counters, ILogger logger)
{
    private readonly RetryPause _pause = new(time);
    private TaskCompletionSource? _durable;
    private int _decisions;

    /// <summary>The link to a destination whose outputs are to be dropped now; null: none are.</summary>
    public PeerOutputLink? Choose(IReadOnlyList<PeerOutputLink> links)
    {
        if (_durable is not null || !_pause.IsOver)
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
        try
        {
            await RequireRoomAsync(entries);
            (DroppedCounts counts, string path) = await DroppedFile.WriteAsync(files, folder, () => NextPath(buffer.Destination), entries);
            Failpoint.Pass("K29");
            pending.Add(new DropPoint(buffer.Destination, number));
            flush();
            await durable.Task;
            _pause.Succeeded();
            counters.Dropped += counts.Messages + counts.Impulses;
            CoreLog.OutputsDropped(
                logger, buffer.Destination, seconds, counts.Messages, counts.Impulses, number, counts.Calls, options.InstanceName, path);
        }
        catch (FileFailedException error)
        {
            _pause.Failed();
            CoreLog.OutputsNotDropped(logger, buffer.Destination, folder, error.Message, _pause.Length.TotalSeconds, options.InstanceName);
            buffer.GiveUpDrop();
        }
        finally
        {
            entries.ForEach(static entry => entry.Chunk.Release());
            _durable = null;
        }
    }

    private string NextPath(string destination) => DroppedFile.PathOf(folder, destination, epoch, ++_decisions);

    // The log may lie on the same disk: room for a segment of it is left, or everything would stop where only one destination is away.
    private async ValueTask RequireRoomAsync(List<OutputEntry> entries)
    {
        await files.CreateFolderAsync(folder);
        long needed = entries.Sum(static entry => entry.Length + (long)DroppedFile.RunHeader) + options.SegmentSize;
        if ((await files.VolumeAsync(folder)).FreeBytes < needed)
        {
            throw new FileFailedException(string.Create(CultureInfo.InvariantCulture, $"reserving {needed} bytes"), folder, Errno.ENOSPC);
        }
    }

    /// <summary>A record of this process is durable and applied to the state, with these decisions.</summary>
    public void BecameDurable(List<DropPoint> marks)
    {
        if (marks.Count > 0)
        {
            _durable?.TrySetResult();
        }
    }

    /// <summary>The log ends: no decision becomes durable any more.</summary>
    public void Abandon() => _durable?.TrySetCanceled();
}
