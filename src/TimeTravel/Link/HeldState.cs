using System.Buffers;
using System.IO.Pipelines;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Link;

/// <summary>A state that an app gave us, to come back to: in memory, or in a nameless temporary file when it is large.</summary>
internal sealed class HeldState : IAppState, IDisposable
{
    private const long LargestInMemory = 32 * 1024 * 1024;
    private const int Block = 256 * 1024;
    private readonly byte[]? _bytes;
    private readonly FileStream? _file;

    private HeldState(long size, byte[]? bytes, FileStream? file) => (Size, _bytes, _file) = (size, bytes, file);

    /// <inheritdoc/>
    public long Size { get; }

    /// <summary>Bytes of memory that it takes.</summary>
    public long MemorySize => _bytes?.Length ?? 0;

    /// <summary>Takes a state of this size off a stream.</summary>
    public static async Task<HeldState> ReadAsync(PipeReader input, long size)
    {
        byte[]? bytes = size <= LargestInMemory ? new byte[size] : null;
        FileStream? file = bytes is null ? Temporary() : null;
        long taken = 0;
        while (taken < size)
        {
            ReadResult result = await input.ReadAsync();
            ReadOnlySequence<byte> part = result.Buffer.Slice(0, Math.Min(result.Buffer.Length, size - taken));
            if (bytes is not null)
            {
                part.CopyTo(bytes.AsSpan((int)taken));
            }
            else
            {
                foreach (ReadOnlyMemory<byte> memory in part)
                {
                    await file!.WriteAsync(memory);
                }
            }

            taken += part.Length;
            input.AdvanceTo(part.End);
            if (taken < size && (result.IsCompleted || result.IsCanceled))
            {
                throw new IOException($"a checkpoint ended after {taken} of {size} bytes");
            }
        }

        return new HeldState(size, bytes, file);
    }

    /// <inheritdoc/>
    public async Task CopyToAsync(Func<ReadOnlyMemory<byte>, ValueTask> write)
    {
        if (_bytes is not null)
        {
            for (int at = 0; at < _bytes.Length; at += Block)
            {
                await write(_bytes.AsMemory(at, Math.Min(Block, _bytes.Length - at)));
            }

            return;
        }

        byte[] block = new byte[Block];
        _file!.Position = 0;
        for (int read; (read = await _file.ReadAsync(block)) > 0;)
        {
            await write(block.AsMemory(0, read));
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _file?.Dispose();

    private static FileStream Temporary() => new(
        Path.Combine(Path.GetTempPath(), Path.GetRandomFileName()), FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None, Block,
        FileOptions.DeleteOnClose);
}
