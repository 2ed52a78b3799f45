using System.Buffers.Binary;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// Streams a checkpoint block by block, each verified before it is returned. A damaged one throws <see cref="LogCorruptException"/>.
/// </summary>
public sealed class CheckpointReader : IAsyncDisposable
{
    private readonly IStoredFile _file;
    private byte[] _block = [];
    private long _offset = CheckpointHeader.Size;
    private ulong _blocks;
    private uint _chain;

    private CheckpointReader(IStoredFile file, CheckpointHeader header, long fileBytes) =>
        (_file, Header, FileBytes) = (file, header, fileBytes);

    /// <summary>What the checkpoint says about itself.</summary>
    public CheckpointHeader Header { get; }

    /// <summary>The state is that after this record.</summary>
    public Lsn Lsn => Header.Lsn;

    /// <summary>Bytes of data returned so far.</summary>
    public long BytesRead { get; private set; }

    /// <summary>Bytes of the whole file: nothing inside it can be longer.</summary>
    public long FileBytes { get; }

    /// <summary>Newer checkpoints that were damaged and skipped.</summary>
    public int SkippedCheckpoints { get; internal set; }

    /// <summary>A newer one is damaged or gone.</summary>
    public bool StandsInForAnother { get; internal set; }

    /// <summary>File, for messages.</summary>
    public string FileName => _file.Name;

    /// <summary>Bytes of the file once it was read to its end.</summary>
    internal long StoredBytes => _offset;

    /// <summary>Opens the file and checks its header.</summary>
    internal static async ValueTask<CheckpointReader> OpenAsync(IStoredFile file, Lsn expected)
    {
        byte[] block = new byte[CheckpointHeader.Size];
        int read = await file.ReadAsync(block, 0);
        CheckpointHeader? header = CheckpointHeader.TryRead(block.AsSpan(0, read), file.Name);
        return header is not null && header.Lsn == expected ? new CheckpointReader(file, header, await file.GetLengthAsync())
            : throw Damaged(file, expected, 0, "its header is damaged");
    }

    /// <summary>The next bytes, valid until the next call; empty at the verified end.</summary>
    public async ValueTask<ReadOnlyMemory<byte>> ReadAsync()
    {
        byte[] start = new byte[CheckpointFormat.FooterSize];
        int read = await _file.ReadAsync(start, _offset);
        uint size = read < CheckpointFormat.BlockHeaderSize ? 0 : BinaryPrimitives.ReadUInt32LittleEndian(start.AsSpan(4));
        if (size == CheckpointFormat.FooterMark)
        {
            await VerifyEndAsync(start, read);
            return default;
        }

        if (size is 0 or > CheckpointFormat.MaxBlockSize || size > FileBytes - _offset - CheckpointFormat.BlockHeaderSize)
        {
            throw Damaged(_file, Lsn, _offset, "a block or the end is missing");
        }

        return await ReadBlockAsync((int)size);
    }

    public ValueTask DisposeAsync() => _file.DisposeAsync();

    /// <summary>Reads everything once; returns the file's size.</summary>
    internal async ValueTask<long> VerifyAsync(CheckpointPace? pace = null)
    {
        while (await ReadAsync() is { IsEmpty: false } block)
        {
            if (pace is not null)
            {
                await pace.RestAsync(block.Length, written: false);
            }
        }

        return _offset;
    }

    private async ValueTask<ReadOnlyMemory<byte>> ReadBlockAsync(int size)
    {
        int stored = CheckpointFormat.BlockHeaderSize + size;
        if (_block.Length < stored)
        {
            _block = new byte[stored];
        }

        int read = await _file.ReadAsync(_block.AsMemory(0, stored), _offset);
        uint crc = BinaryPrimitives.ReadUInt32LittleEndian(_block);
        if (read < stored || crc != Crc32C.Compute(_block.AsSpan(4, stored - 4))
            || BinaryPrimitives.ReadUInt64LittleEndian(_block.AsSpan(8)) != _blocks)
        {
            throw Damaged(_file, Lsn, _offset, $"block {_blocks} is damaged");
        }

        _chain = CheckpointFormat.Chain(_chain, crc);
        _blocks++;
        _offset += stored;
        BytesRead += size;
        return _block.AsMemory(CheckpointFormat.BlockHeaderSize, size);
    }

    private async ValueTask VerifyEndAsync(byte[] footer, int read)
    {
        byte[] expected = CheckpointFormat.Footer(_blocks, BytesRead, Lsn, _chain);
        if (read < CheckpointFormat.FooterSize || !footer.AsSpan().SequenceEqual(expected)
            || await _file.GetLengthAsync() != _offset + CheckpointFormat.FooterSize)
        {
            throw Damaged(_file, Lsn, _offset, "its end is damaged");
        }
    }

    private static LogCorruptException Damaged(IStoredFile file, Lsn lsn, long offset, string what) =>
        new(StoreErrors.CheckpointDamaged, $"checkpoint at LSN {lsn}: {what}", file.Name, offset, lsn,
            "older checkpoints and the log are untouched",
            "recovery uses the checkpoint before it; keep the file for analysis or delete it");
}
