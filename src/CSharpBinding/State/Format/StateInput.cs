using System.Buffers;
using System.Runtime.CompilerServices;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>
/// Reads the primitive parts of a state graph from a stream of known length. Whatever is in the bytes, it throws or returns; it never
/// allocates more than a multiple of the length.
/// </summary>
internal abstract class StateInput(Stream stream, long length)
{
    private const int PageSize = 64 * 1024;
    private readonly byte[] _page = new byte[PageSize];
    private readonly string?[] _shortTexts = new string?[1024];
    private int _start;
    private int _end;
    private long _loaded;
    private long _charged;

    /// <summary>Offset of the next byte.</summary>
    public long Position => _loaded - (_end - _start);

    public bool AtEnd => Position == length;

    public byte ReadByte()
    {
        Require(1);
        return _page[_start++];
    }

    public ulong ReadVarint()
    {
        ulong value = 0;
        for (int shift = 0; shift < 64; shift += 7)
        {
            byte part = ReadByte();
            if (shift == 63 && part > 1)
            {
                break;
            }
            value |= (ulong)(part & 0x7F) << shift;
            if (part < 0x80)
            {
                return value;
            }
        }
        throw Corrupt("a number of more than 64 bits");
    }

    /// <summary>A varint that must be at most <paramref name="limit"/>.</summary>
    public int ReadSmall(int limit, string what)
    {
        ulong value = ReadVarint();
        return value <= (ulong)limit ? (int)value : throw Corrupt($"{what} is {value}, at most {limit} is possible");
    }

    public T ReadNumber<T>()
        where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>();
        Require(size);
        if (!BitConverter.IsLittleEndian)
        {
            _page.AsSpan(_start, size).Reverse();
        }
        T value = Unsafe.ReadUnaligned<T>(ref _page[_start]);
        _start += size;
        return value;
    }

    public void ReadBytes(Span<byte> target)
    {
        while (target.Length > 0)
        {
            Require(1);
            int part = Math.Min(target.Length, _end - _start);
            _page.AsSpan(_start, part).CopyTo(target);
            _start += part;
            target = target[part..];
        }
    }

    /// <summary>
    /// A count of things that take at least <paramref name="smallest"/> bytes each. All counts together cannot claim more bytes than there
    /// are, so nothing is allocated for a claim alone.
    /// </summary>
    public int ReadCount(int smallest, string what)
    {
        ulong count = ReadVarint();
        if (count > int.MaxValue)
        {
            throw Corrupt($"{what} of {count} items");
        }
        Charge((long)count * smallest, what);
        return (int)count;
    }

    public void Charge(long bytes, string what)
    {
        _charged += bytes;
        if (bytes > length - Position || _charged > length)
        {
            throw Corrupt($"{what} claims {bytes} bytes, more than the state holds");
        }
    }

    /// <summary>See <see cref="StateOutput.WriteText"/>.</summary>
    public string ReadText(out bool shared)
    {
        ulong header = ReadVarint();
        shared = (header & 2) != 0;
        bool wide = (header & 1) != 0;
        ulong size = header >> 2;
        if (size > int.MaxValue || (wide && size % 2 != 0))
        {
            throw Corrupt($"a text of {size} bytes");
        }
        Charge((long)size, "a text");
        if (size == 0)
        {
            return "";
        }
        return !wide && size <= 32 ? ReadShortText((int)size) : ReadLongText((int)size, wide);
    }

    public string ReadText() => ReadText(out _);

    public StateFormatException Corrupt(string what) => new(what, Position);

    private string ReadShortText(int size)
    {
        Require(size);
        ReadOnlySpan<byte> bytes = _page.AsSpan(_start, size);
        // States repeat short texts, which the format does not share: one instance per text is enough.
        uint hash = 2166136261;
        foreach (byte b in bytes)
        {
            hash = (hash ^ b) * 16777619;
        }
        ref string? cached = ref _shortTexts[(hash ^ (hash >> 15)) & (uint)(_shortTexts.Length - 1)];
        if (cached is null || !IsUtf8Of(bytes, cached))
        {
            cached = Decode(bytes);
        }
        _start += size;
        return cached;
    }

    private static bool IsUtf8Of(ReadOnlySpan<byte> bytes, string text) =>
        bytes.Length == text.Length && Ascii.Equals(bytes, text);

    private string ReadLongText(int size, bool wide)
    {
        byte[] bytes = ArrayPool<byte>.Shared.Rent(size);
        try
        {
            ReadBytes(bytes.AsSpan(0, size));
            return wide ? WideText(bytes.AsSpan(0, size)) : Decode(bytes.AsSpan(0, size));
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(bytes);
        }
    }

    // Not through Encoding.Unicode: this form exists for the lone surrogates that an encoding would replace.
    private static string WideText(ReadOnlySpan<byte> bytes)
    {
        char[] units = new char[bytes.Length / 2];
        for (int i = 0; i < units.Length; i++)
        {
            units[i] = (char)(bytes[2 * i] | (bytes[(2 * i) + 1] << 8));
        }
        return new string(units);
    }

    private string Decode(ReadOnlySpan<byte> bytes)
    {
        try
        {
            return s_strict.GetString(bytes);
        }
        catch (DecoderFallbackException e)
        {
            throw new StateFormatException("a text that is not UTF-8", Position, e);
        }
    }

    private static readonly UTF8Encoding s_strict = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private void Require(int size)
    {
        while (_end - _start < size)
        {
            Fill(size);
        }
    }

    private void Fill(int size)
    {
        _page.AsSpan(_start, _end - _start).CopyTo(_page);
        _end -= _start;
        _start = 0;
        int wanted = (int)Math.Min(PageSize - _end, length - _loaded);
        int read = wanted > 0 ? stream.Read(_page, _end, wanted) : 0;
        if (read == 0)
        {
            throw new StateFormatException($"the end, where {size} more bytes were expected", _loaded);
        }
        _end += read;
        _loaded += read;
    }
}
