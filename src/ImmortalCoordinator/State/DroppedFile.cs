using System.Buffers.Binary;
using System.Globalization;
using Ambrosia.LogStore.Files;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.State;

/// <summary>
/// Outputs that one decision drops, for people (docs/exactly-once.md H26). Named <c>DESTINATION.EPOCH.N.dropped</c>, by the
/// decisions of an epoch: no name is used twice. Runs of messages,
/// each: u32 CRC-32C of the rest · u32 bytes of the messages · u64 number of the first one, or for impulses of the last replayable
/// message before them · u32 messages · byte 1 for impulses, else 0 · the messages in delivery form. Complete and durable before the decision is
/// logged; one whose decision was never made is removed, or holds what a later file holds again.
/// </summary>
internal static class DroppedFile
{
    /// <summary>Bytes in front of the messages of a run.</summary>
    public const int RunHeader = 21;

    private const int Piece = 4 << 20;

    /// <summary>How its name ends.</summary>
    public const string Ending = ".dropped";

    /// <summary>Where the outputs go that a decision of an epoch drops.</summary>
    public static string PathOf(string folder, string destination, ulong epoch, int decision) =>
        Path.Combine(folder, string.Create(CultureInfo.InvariantCulture, $"{destination}.{epoch}.{decision}{Ending}"));

    /// <summary>
    /// Writes the entries to a new file and returns what they are, once everything is on stable storage. In pieces: the loops of the
    /// core, signs of life among them, go on in between.
    /// </summary>
    /// <exception cref="FileFailedException">It cannot be; nothing is left of the file, and one that was there is untouched.</exception>
    public static async ValueTask<DroppedCounts> WriteAsync(IFileSystem files, string folder, string path, List<OutputEntry> entries)
    {
        await files.CreateFolderAsync(folder);
        IFile file = await files.OpenAsync(path, FileOpening.CreateNew);
        try
        {
            DroppedCounts counts = await WriteAsync(file, entries);
            await files.SyncFolderAsync(folder);
            return counts;
        }
        catch (FileFailedException)
        {
            await RemoveAsync(files, path);
            throw;
        }
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

    /// <summary>The runs of a file, up to the first one that is not whole.</summary>
    public static IEnumerable<DroppedRun> Read(ReadOnlyMemory<byte> file)
    {
        while (file.Length >= RunHeader)
        {
            uint crc = BinaryPrimitives.ReadUInt32LittleEndian(file.Span);
            long size = RunHeader + (long)BinaryPrimitives.ReadUInt32LittleEndian(file.Span[4..]);
            if (size > file.Length || Crc32C.Compute(file.Span[4..(int)size]) != crc)
            {
                yield break;
            }

            yield return new DroppedRun(
                BinaryPrimitives.ReadUInt64LittleEndian(file.Span[8..]), BinaryPrimitives.ReadInt32LittleEndian(file.Span[16..]),
                file.Span[20] != 0, file[RunHeader..(int)size]);
            file = file[(int)size..];
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
