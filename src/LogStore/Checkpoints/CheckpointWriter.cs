using System.Buffers;
using System.Threading.Channels;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Storage;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Checkpoints;

/// <summary>
/// Streams one checkpoint to the store on a loop of its own, so that neither the log nor the caller waits for the device. Nobody sees it
/// before <see cref="CompleteAsync"/> has synced, re-read, verified and named it. Disposed before that, it leaves nothing behind.
/// </summary>
public sealed class CheckpointWriter : IAsyncDisposable
{
    private const int BlocksInFlight = 4;

    // A sync of the log that comes meanwhile waits for what the device has been given before, and the device takes a gigabyte as willingly
    // as a kilobyte.
    private const int SettleEvery = 512 * 1024;
    private readonly CheckpointStore _store;
    private readonly CheckpointHeader _header;
    private readonly int _dataSize;
    private readonly int _round;
    private readonly CheckpointPace? _pace;
    private readonly Channel<(byte[] Block, int Length)> _blocks = Channel.CreateBounded<(byte[], int)>(BlocksInFlight);
    private readonly Task _writing;
    private byte[]? _block;
    private int _filled;
    private bool _completed;

    internal CheckpointWriter(CheckpointStore store, CheckpointHeader header, int blockSize, CheckpointPace? pace, ILoopRunner loops)
    {
        (_store, _header, _pace, _round) = (store, header, pace, store.Round);
        _dataSize = pace is null ? blockSize : Math.Min(blockSize, CheckpointPace.Piece);
        _writing = loops.StartInBackground($"checkpoint {header.Instance}", WriteBlocksAsync);
    }

    /// <summary>The state written is that after this record.</summary>
    public Lsn Lsn => _header.Lsn;

    /// <summary>Bytes taken so far.</summary>
    public long BytesWritten { get; private set; }

    /// <summary>
    /// Takes bytes; they may be used again when the call has completed. Throws <see cref="CheckpointFailedException"/> when the store
    /// refused earlier ones.
    /// </summary>
    public async ValueTask WriteAsync(ReadOnlyMemory<byte> bytes)
    {
        BytesWritten += bytes.Length;
        while (!bytes.IsEmpty)
        {
            _block ??= ArrayPool<byte>.Shared.Rent(CheckpointFormat.BlockHeaderSize + _dataSize);
            int count = Math.Min(bytes.Length, _dataSize - _filled);
            bytes.Span[..count].CopyTo(_block.AsSpan(CheckpointFormat.BlockHeaderSize + _filled));
            _filled += count;
            bytes = bytes[count..];
            if (_filled == _dataSize)
            {
                await PassBlockAsync();
            }
        }
    }

    /// <summary>
    /// Makes the checkpoint one that recovery finds, then lets go of what no longer is needed. Throws
    /// <see cref="CheckpointFailedException"/> when it could not.
    /// </summary>
    public async ValueTask CompleteAsync()
    {
        if (_filled > 0)
        {
            await PassBlockAsync();
        }

        _completed = true;
        _blocks.Writer.TryComplete();
        await _writing;
    }

    /// <summary>Whether nothing of it happens any more.</summary>
    internal bool HasEnded => _writing.IsCompleted;

    public async ValueTask DisposeAsync()
    {
        if (!_completed)
        {
            _completed = true;
            _blocks.Writer.TryComplete(new OperationCanceledException("The checkpoint was given up."));
        }

        try
        {
            await _writing;
        }
        catch (Exception error) when (error is CheckpointFailedException or OperationCanceledException)
        {
            // Given up, or reported by CompleteAsync already.
        }
    }

    private async ValueTask PassBlockAsync()
    {
        (byte[] block, int length) = (_block!, CheckpointFormat.BlockHeaderSize + _filled);
        (_block, _filled) = (null, 0);
        try
        {
            await _blocks.Writer.WriteAsync((block, length));
        }
        catch (ChannelClosedException)
        {
            await _writing; // Throws why the loop has ended.
        }
    }

    private async Task WriteBlocksAsync()
    {
        try
        {
            await WriteFileAsync();
            await _store.PublishAsync(_header, _round);
        }
        catch (Exception error) when (error is FileFailedException or LogStoreException or OperationCanceledException)
        {
            await _store.AbandonAsync(Lsn);
            Exception reported = error is OperationCanceledException or CheckpointFailedException ? error : Explain(error);
            _blocks.Writer.TryComplete(reported);
            throw reported;
        }
        finally
        {
            _blocks.Writer.TryComplete(); // Whatever has ended the loop: nobody may wait for room that it will never make.
        }
    }

    private async ValueTask WriteFileAsync()
    {
        await using IStoredFile file = await _store.Storage.CreateCheckpointAsync(Lsn);
        await file.AppendAsync(_header.ToBytes(), 0);
        long offset = CheckpointHeader.Size;
        (ulong count, long bytes, uint chain, long settled) = (0, 0, 0, 0);
        // Not ReadAllAsync: it leaves the loop's SynchronizationContext inside, and a simulator its determinism.
        while (await _blocks.Reader.WaitToReadAsync())
        {
            (byte[] block, int length) = await _blocks.Reader.ReadAsync();
            _store.RequireRound(_round, Lsn); // Not only when it is to get its name: a slow one would be written for nothing.
            uint crc = CheckpointFormat.FinishBlock(block.AsSpan(0, length), count++);
            chain = CheckpointFormat.Chain(chain, crc);
            await file.AppendAsync(block.AsMemory(0, length), offset);
            ArrayPool<byte>.Shared.Return(block);
            offset += length;
            bytes += length - CheckpointFormat.BlockHeaderSize;
            if (_pace is not null || offset - settled >= SettleEvery)
            {
                await file.SettleAsync();
                settled = offset;
            }

            if (_pace is not null)
            {
                await _pace.RestAsync(length, written: true);
            }
        }

        await file.AppendAsync(CheckpointFormat.Footer(count, bytes, Lsn, chain), offset);
        await file.SyncAsync();
        await CheckpointStore.VerifyAsync(file, Lsn, offset, _pace);
    }

    private CheckpointFailedException Explain(Exception error) => new(
        error is FileFailedException failed ? $"checkpoint at LSN {Lsn} not written: {failed.Call} failed with {failed.Error}"
        : $"checkpoint at LSN {Lsn} not written: {error.Message}",
        _store.Storage.Location, error);
}
