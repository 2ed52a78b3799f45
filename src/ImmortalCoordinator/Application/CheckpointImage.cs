using System.Buffers;
using System.Buffers.Binary;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>A checkpoint opened for reading: head, then output entries, then the app's bytes, in this order only.</summary>
internal sealed class CheckpointImage : IAsyncDisposable
{
    /// <summary>Bytes in front of each entry's messages.</summary>
    public const int EntryPrefix = 20;

    private readonly CheckpointReader _reader;
    private ReadOnlyMemory<byte> _block;
    private int _entriesLeft;

    private CheckpointImage(CheckpointReader reader) => _reader = reader;

    public Lsn Lsn => _reader.Lsn;

    public CheckpointHead Head { get; private set; } = new();

    /// <summary>Bytes of the app's part; known once all entries were read.</summary>
    public long AppSize { get; private set; }

    /// <summary>Opens the newest valid checkpoint that is not beyond the given record.</summary>
    public static async ValueTask<CheckpointImage> OpenAsync(WriteAheadLog log, Lsn notBeyond)
    {
        CheckpointReader reader = await log.OpenNewestValidCheckpointAsync(notBeyond)
            ?? throw new CoordinatorException(
                "IC-2013", ExitCode.StoreDamaged, "no checkpoint is left", log.Location, "the log itself was not touched",
                "restore the checkpoints folder from a copy");
        return await OpenAsync(reader);
    }

    /// <summary>Takes over a checkpoint that is open and has not been read from.</summary>
    public static async ValueTask<CheckpointImage> OpenAsync(CheckpointReader reader)
    {
        var image = new CheckpointImage(reader);
        byte[] size = new byte[4];
        await image.ReadExactlyAsync(size);
        byte[] head = new byte[BinaryPrimitives.ReadInt32LittleEndian(size)];
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
            string destination = Head.Outputs[BinaryPrimitives.ReadInt32LittleEndian(prefix)].Destination;
            int count = BinaryPrimitives.ReadInt32LittleEndian(prefix.AsSpan(4));
            ulong number = BinaryPrimitives.ReadUInt64LittleEndian(prefix.AsSpan(8));
            byte[] bytes = new byte[BinaryPrimitives.ReadInt32LittleEndian(prefix.AsSpan(16))];
            await ReadExactlyAsync(bytes);
            await take(destination, new ReadOnlySequence<byte>(bytes), number, count);
        }

        byte[] size = new byte[8];
        await ReadExactlyAsync(size);
        AppSize = BinaryPrimitives.ReadInt64LittleEndian(size);
    }

    /// <summary>Reads the next of the app's bytes.</summary>
    public ValueTask ReadAppAsync(Memory<byte> destination) => ReadExactlyAsync(destination);

    public ValueTask DisposeAsync() => _reader.DisposeAsync();

    private async ValueTask ReadExactlyAsync(Memory<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            if (_block.IsEmpty)
            {
                _block = await _reader.ReadAsync();
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
