using System.Buffers;
using System.Buffers.Binary;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Errors;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>A checkpoint opened for reading: head, then output entries, then the app's bytes, in this order only.</summary>
public sealed class CheckpointImage : IAsyncDisposable
{
    /// <summary>Bytes in front of each entry's messages.</summary>
    public const int EntryPrefix = 20;

    private readonly CheckpointReader _reader;
    private ReadOnlyMemory<byte> _block;
    private int _entriesLeft;

    private CheckpointImage(CheckpointReader reader) => _reader = reader;

    public Lsn Lsn => _reader.Lsn;

    /// <summary>
    /// A newer one is damaged or gone: with another one like it there would be none, and a replica that needs it cannot follow.
    /// </summary>
    public bool StandsInForAnother => _reader.StandsInForAnother;

    public CheckpointHead Head { get; private set; } = new();

    /// <summary>Bytes of the app's part; known once all entries were read.</summary>
    public long AppSize { get; private set; }

    /// <summary>Opens the newest valid checkpoint that is not beyond the given record.</summary>
    /// <param name="log">Where the checkpoints are.</param>
    /// <param name="notBeyond">The last record that it may lie after.</param>
    /// <param name="hasFollowed">Whether this process has followed a log that others write, and may have fallen behind.</param>
    /// <param name="proven">A checkpoint that this process has read as a whole a moment ago; null: none.</param>
    /// <exception cref="CoordinatorException">There is none, all that are left are newer, or it is none that this build can
    /// read.</exception>
    public static async ValueTask<CheckpointImage> OpenAsync(WriteAheadLog log, Lsn notBeyond, bool hasFollowed = false, Lsn? proven = null)
    {
        CheckpointReader reader = await OpenReaderAsync(log, notBeyond, hasFollowed, proven) ?? throw await MissingAsync(log, notBeyond);
        try
        {
            return await OpenAsync(reader);
        }
        catch (ProtocolException error)
        {
            await reader.DisposeAsync();
            throw Unreadable(reader, error);
        }
    }

    /// <summary>
    /// What to say of content that is intact and not understood. Not skipped in favour of an older checkpoint, as damage is: its writer
    /// knows something that this build does not, and the log after it will be no easier to read.
    /// </summary>
    public CoordinatorException Unreadable(ProtocolException error) => Unreadable(_reader, error);

    private static async ValueTask<CheckpointReader?> OpenReaderAsync(WriteAheadLog log, Lsn notBeyond, bool hasFollowed, Lsn? proven)
    {
        try
        {
            return await log.OpenNewestValidCheckpointAsync(notBeyond, proven);
        }
        catch (LogCorruptException error) when (error.Error == StoreErrors.SegmentMissing && hasFollowed)
        {
            // Most likely the primary has released the log after the only checkpoint that is not beyond this replica. Were it damage, its
            // next start would say so.
            throw CoreFailures.FellBehind(log.Instance, notBeyond.Next.Value);
        }
    }

    /// <summary>The primary keeps two: a replica that is behind both of them can begin no app any more.</summary>
    private static async ValueTask<CoordinatorException> MissingAsync(WriteAheadLog log, Lsn notBeyond)
    {
        await using CheckpointReader? newest = await log.OpenNewestCheckpointAsync();
        return newest is not null && newest.Lsn > notBeyond
            ? CoreFailures.FellBehind(log.Instance, notBeyond.Next.Value)
            : new CoordinatorException(StoreErrors.NoFittingCheckpoint, "no checkpoint is left", log.Location,
                "the log itself was not touched", "restore the checkpoints folder from a copy");
    }

    private static CoordinatorException Unreadable(CheckpointReader reader, ProtocolException error) => new(
        StoreErrors.CheckpointOfNewerBuild, $"a checkpoint is intact and none that this build can read: {error.Message}", reader.FileName,
        "nothing was changed",
        "start the build that wrote it; or put the file aside: an older checkpoint is used then", error);

    /// <summary>Reads the head of a checkpoint that is open and has not been read from.</summary>
    /// <exception cref="ProtocolException">The bytes are intact and still none that this build writes.</exception>
    public static async ValueTask<CheckpointImage> OpenAsync(CheckpointReader reader)
    {
        var image = new CheckpointImage(reader);
        byte[] size = new byte[4];
        await image.ReadExactlyAsync(size);
        byte[] head = image.Allocate(BinaryPrimitives.ReadUInt32LittleEndian(size), "head");
        await image.ReadExactlyAsync(head);
        image.Head = CheckpointHead.Read(head);
        image._entriesLeft = image.Head.EntryCount;
        return image;
    }

    /// <summary>Hands over each entry: its destination, its messages, the number of the first, how many.</summary>
    public async ValueTask ReadEntriesAsync(Func<string, ReadOnlySequence<byte>, ulong, int, ValueTask> take)
    {
        byte[] prefix = new byte[EntryPrefix];
        for (; _entriesLeft > 0; _entriesLeft--)
        {
            await ReadExactlyAsync(prefix);
            uint output = BinaryPrimitives.ReadUInt32LittleEndian(prefix);
            int count = BinaryPrimitives.ReadInt32LittleEndian(prefix.AsSpan(4));
            ulong number = BinaryPrimitives.ReadUInt64LittleEndian(prefix.AsSpan(8));
            byte[] bytes = Allocate(BinaryPrimitives.ReadUInt32LittleEndian(prefix.AsSpan(16)), "entry");
            await ReadExactlyAsync(bytes);
            if (output >= (uint)Head.Outputs.Count || MessageScanner.Count(bytes).Count != count)
            {
                throw new ProtocolException($"checkpoint entry for output {output} does not hold {count} messages", _reader.BytesRead);
            }

            await take(Head.Outputs[(int)output].Destination, new ReadOnlySequence<byte>(bytes), number, count);
        }

        byte[] size = new byte[8];
        await ReadExactlyAsync(size);
        AppSize = BinaryPrimitives.ReadInt64LittleEndian(size);
        if (AppSize < 0 || AppSize > _reader.FileBytes)
        {
            throw new ProtocolException($"checkpoint with {AppSize} bytes of the app", _reader.BytesRead);
        }
    }

    /// <summary>Starts the state from this checkpoint: its head, then its output entries.</summary>
    /// <exception cref="CoordinatorException">It is none that this build can read.</exception>
    internal async ValueTask RestoreAsync(CoordinatorState state)
    {
        state.Restore(Head, Lsn);
        await ReadEntriesIntoAsync(state.RestoreEntryAsync);
    }

    /// <summary>Brings the state's outputs to where a new app's stream starts that begins with this checkpoint.</summary>
    /// <exception cref="CoordinatorException">It is none that this build can read.</exception>
    internal async ValueTask ReattachAsync(CoordinatorState state)
    {
        state.BeginReattach(Head);
        await ReadEntriesIntoAsync(state.MergeEntryAsync);
        state.EndReattach(Head);
    }

    /// <summary>Reads the next of the app's bytes.</summary>
    public ValueTask ReadAppAsync(Memory<byte> destination) => ReadExactlyAsync(destination);

    public ValueTask DisposeAsync() => _reader.DisposeAsync();

    /// <summary>Room for a part, which cannot be longer than the file that holds it.</summary>
    private byte[] Allocate(uint size, string what) =>
        size <= _reader.FileBytes && size <= Array.MaxLength ? new byte[size]
        : throw new ProtocolException($"checkpoint {what} of {size} bytes in a file of {_reader.FileBytes}", _reader.BytesRead);

    private async ValueTask ReadEntriesIntoAsync(Func<string, ReadOnlySequence<byte>, ulong, int, ValueTask> take)
    {
        try
        {
            await ReadEntriesAsync(take);
        }
        catch (ProtocolException error)
        {
            throw Unreadable(error);
        }
    }

    private async ValueTask<ReadOnlyMemory<byte>> ReadBlockAsync()
    {
        try
        {
            return await _reader.ReadAsync();
        }
        catch (LogCorruptException error)
        {
            // If it is damage after all, the next start finds that out, and passes it over.
            throw new CheckpointGoneException(_reader.FileName, error);
        }
    }

    private async ValueTask ReadExactlyAsync(Memory<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            if (_block.IsEmpty)
            {
                _block = await ReadBlockAsync();
                if (_block.IsEmpty)
                {
                    throw new ProtocolException($"checkpoint at {Lsn} ends {destination.Length} bytes too early", _reader.BytesRead);
                }
            }

            int count = Math.Min(destination.Length, _block.Length);
            _block[..count].CopyTo(destination);
            _block = _block[count..];
            destination = destination[count..];
        }
    }
}
