using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace Ambrosia.Runtime;

/// <summary>Writes the primitive parts of a state graph through a page, so that a state of any size is streamed.</summary>
internal abstract class StateOutput(IBufferWriter<byte> output)
{
    private const int PageSize = 64 * 1024;
    private readonly byte[] _page = new byte[PageSize];
    private int _used;
    private long _flushed;

    /// <summary>Bytes written so far.</summary>
    public long Position => _flushed + _used;

    public void WriteByte(byte value)
    {
        Reserve(1);
        _page[_used++] = value;
    }

    public void WriteVarint(ulong value)
    {
        Reserve(10);
        while (value >= 0x80)
        {
            _page[_used++] = (byte)(value | 0x80);
            value >>= 7;
        }
        _page[_used++] = (byte)value;
    }

    /// <summary>A number of at most 16 bytes, little-endian.</summary>
    public void WriteNumber<T>(T value)
        where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>();
        Reserve(size);
        Unsafe.WriteUnaligned(ref _page[_used], value);
        if (!BitConverter.IsLittleEndian)
        {
            _page.AsSpan(_used, size).Reverse();
        }
        _used += size;
    }

    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        while (bytes.Length > PageSize - _used)
        {
            int part = PageSize - _used;
            bytes[..part].CopyTo(_page.AsSpan(_used));
            _used = PageSize;
            bytes = bytes[part..];
            Flush();
        }
        bytes.CopyTo(_page.AsSpan(_used));
        _used += bytes.Length;
    }

    /// <summary>
    /// Length of the bytes times four, bit 1: the string has an identity, bit 0: UTF-16 instead of UTF-8 (it holds lone surrogates). Then
    /// the bytes.
    /// </summary>
    public void WriteText(string text, bool shared = false)
    {
        uint flags = shared ? 2u : 0u;
        int longest = checked(text.Length * 3);
        if (longest <= PageSize / 2)
        {
            Reserve(longest + 10);
            int header = VarintSize((ulong)longest * 4);
            OperationStatus status =
                Utf8.FromUtf16(text, _page.AsSpan(_used + header), out _, out int size, replaceInvalidSequences: false);
            if (status == OperationStatus.Done)
            {
                // A shorter header than reserved is moved up to: the format has one encoding per text.
                int actual = VarintSize((ulong)size * 4);
                if (actual != header)
                {
                    _page.AsSpan(_used + header, size).CopyTo(_page.AsSpan(_used + actual));
                }
                WriteVarint((ulong)size * 4 | flags);
                _used += size;
                return;
            }
        }
        WriteLongText(text, flags);
    }

    protected void Flush()
    {
        output.Write(_page.AsSpan(0, _used));
        _flushed += _used;
        _used = 0;
    }

    private void WriteLongText(string text, uint flags)
    {
        byte[] bytes = new byte[Encoding.UTF8.GetMaxByteCount(text.Length)];
        OperationStatus status = Utf8.FromUtf16(text, bytes, out _, out int size, replaceInvalidSequences: false);
        if (status == OperationStatus.Done)
        {
            WriteVarint((ulong)size * 4 | flags);
            WriteBytes(bytes.AsSpan(0, size));
            return;
        }
        WriteVarint((ulong)text.Length * 8 | flags | 1);
        if (BitConverter.IsLittleEndian)
        {
            WriteBytes(MemoryMarshal.AsBytes(text.AsSpan()));
            return;
        }
        foreach (char unit in text)
        {
            WriteNumber(unit);
        }
    }

    private static int VarintSize(ulong value)
    {
        int size = 1;
        while ((value >>= 7) != 0)
        {
            size++;
        }
        return size;
    }

    private void Reserve(int size)
    {
        if (PageSize - _used < size)
        {
            Flush();
        }
    }
}
