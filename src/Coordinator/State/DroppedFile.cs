using System.Buffers.Binary;
using System.Globalization;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore.Files;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// Outputs that one decision drops, for people (docs/internals/exactly-once.md H26). Named <c>DESTINATION.EPOCH.N.dropped</c>, by the
/// decisions of an epoch: no name is used twice. Runs of messages,
/// each: u32 CRC-32C of the rest · u32 bytes of the messages · u64 number of the first one, or for impulses of the last replayable
/// message before them · u32 messages · byte 1 for impulses, else 0 · the messages in delivery form. It has its name when it is complete,
/// and is durable before the decision is logged. One whose decision was never made holds what was sent, or stands in a later file, too.
/// </summary>
public static class DroppedFile
{
    /// <summary>Bytes in front of the messages of a run.</summary>
    public const int RunHeader = 21;

    private const int Piece = 4 << 20;

    /// <summary>How its name ends.</summary>
    public const string Ending = ".dropped";

    /// <summary>What follows its name until it is complete.</summary>
    public const string Aside = ".tmp";

    /// <summary>Where the outputs go that a decision of an epoch drops.</summary>
    public static string PathOf(string folder, string destination, ulong epoch, int decision) =>
        Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{destination}.{epoch}.{decision}{Ending}"));

    /// <summary>
    /// Writes the entries to a new file, and returns what they are and where they stand, once everything is on stable storage. In pieces:
    /// the loops of the core, signs of life among them, go on in between.
    /// </summary>
    /// <param name="files">Where it is written.</param>
    /// <param name="folder">The folder, which need not exist.</param>
    /// <param name="next">A further name. The folder may be shared, or older than the log: no file that is there is touched.</param>
    /// <param name="entries">What is written.</param>
    /// <exception cref="FileFailedException">It cannot be written; nothing is left of the file.</exception>
    internal static async ValueTask<(DroppedCounts Counts, string Path)> WriteAsync(
        IFileSystem files, string folder, Func<string> next, List<OutputEntry> entries)
    {
        await files.CreateFolderAsync(folder);
        string path = await UnusedAsync(files, next);
        string aside = path + Aside;
        IFile file = await files.OpenAsync(aside, FileOpening.CreateNew);
        try
        {
            DroppedCounts counts = await WriteAsync(file, entries);
            while (!await files.TryRenameNewAsync(aside, path))
            {
                path = await UnusedAsync(files, next);
            }

            await files.SyncFolderAsync(folder);
            return (counts, path);
        }
        catch (FileFailedException)
        {
            await RemoveAsync(files, aside);
            throw;
        }
    }

    private static async ValueTask<string> UnusedAsync(IFileSystem files, Func<string> next)
    {
        string path;
        do
        {
            path = next();
        }
        while (await files.StatAsync(path) is not null || await files.StatAsync(path + Aside) is not null);
        return path;
    }

    private static async ValueTask<DroppedCounts> WriteAsync(IFile file, List<OutputEntry> entries)
    {
        var counts = default(DroppedCounts);
        long offset = 0;
        long synced = 0;
        await using (file)
        {
            foreach (OutputEntry entry in entries)
            {
                // Read before any wait: nothing takes from an entry while a decision about it is made.
                (int skipped, int count, ulong number) = (entry.Skipped, entry.Count, entry.Number);
                ReadOnlyMemory<byte> bytes = await entry.Chunk.PinAsync(entry.Offset, entry.Length);
                try
                {
                    bytes = bytes[MessageRun.OffsetOf(bytes.Span, skipped)..];
                    byte[] run = Compose(bytes.Span, number, count, entry.Impulses);
                    await file.WriteAsync(run, offset);
                    offset += run.Length;
                    counts = counts.With(bytes.Span, count, entry.Impulses);
                }
                finally
                {
                    entry.Chunk.Unpin();
                }

                if (offset - synced >= Piece)
                {
                    await file.SyncAsync();
                    synced = offset;
                    await Task.Yield();
                }
            }

            await file.SyncAsync();
        }

        return counts;
    }

    private static async ValueTask RemoveAsync(IFileSystem files, string path)
    {
        try
        {
            await files.DeleteAsync(path);
        }
        catch (FileFailedException)
        {
            // What it holds of a run is whole or is not read; the messages are still in the buffer.
        }
    }

    /// <summary>The runs of a file, up to the first one that is not whole. One run at a time is in memory.</summary>
    public static IEnumerable<DroppedRun> Read(Stream file)
    {
        byte[] header = new byte[RunHeader];
        while (file.ReadAtLeast(header, RunHeader, throwOnEndOfStream: false) == RunHeader)
        {
            long size = BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(4));
            if (size > file.Length - file.Position || size > Array.MaxLength - RunHeader)
            {
                yield break;
            }

            byte[] run = new byte[RunHeader + (int)size];
            header.CopyTo(run, 0);
            file.ReadExactly(run.AsSpan(RunHeader));
            if (Crc32C.Compute(run.AsSpan(4)) != BinaryPrimitives.ReadUInt32LittleEndian(run))
            {
                yield break;
            }

            yield return new DroppedRun(
                BinaryPrimitives.ReadUInt64LittleEndian(run.AsSpan(8)), BinaryPrimitives.ReadInt32LittleEndian(run.AsSpan(16)),
                run[20] != 0, run.AsMemory(RunHeader));
        }
    }

    private static byte[] Compose(ReadOnlySpan<byte> messages, ulong number, int count, bool impulses)
    {
        byte[] run = new byte[RunHeader + messages.Length];
        BinaryPrimitives.WriteInt32LittleEndian(run.AsSpan(4), messages.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(run.AsSpan(8), number);
        BinaryPrimitives.WriteInt32LittleEndian(run.AsSpan(16), count);
        run[20] = impulses ? (byte)1 : (byte)0;
        messages.CopyTo(run.AsSpan(RunHeader));
        BinaryPrimitives.WriteUInt32LittleEndian(run, Crc32C.Compute(run.AsSpan(4)));
        return run;
    }
}
