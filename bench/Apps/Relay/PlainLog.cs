using Microsoft.Win32.SafeHandles;

namespace Ambrosia.Bench.Relay;

/// <summary>The least that a log can be: blocks written and synced one after the other, in a file whose blocks were all written before,
/// round and round.</summary>
internal sealed class PlainLog : IDisposable
{
    private const int Block = 4096;
    private readonly SafeFileHandle _file;
    private readonly long _size;
    private long _offset;

    /// <param name="path">A new file.</param>
    /// <param name="size">Bytes that are written before anything is measured.</param>
    public PlainLog(string path, long size)
    {
        _size = size;
        _file = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite);
        byte[] zeros = new byte[1 << 20];
        for (long offset = 0; offset < size; offset += zeros.Length)
        {
            RandomAccess.Write(_file, zeros, offset);
        }

        DataSync.Flush(_file);
    }

    /// <summary>Returns when the bytes are on the device.</summary>
    public void Append(ReadOnlySpan<byte> bytes)
    {
        if (_offset + bytes.Length > _size)
        {
            _offset = 0;
        }

        RandomAccess.Write(_file, bytes, _offset);
        DataSync.Flush(_file);
        _offset += (bytes.Length + Block - 1) / Block * Block;
    }

    public void Dispose() => _file.Dispose();
}
