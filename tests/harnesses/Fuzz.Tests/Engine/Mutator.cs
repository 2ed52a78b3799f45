using System.Buffers.Binary;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>
/// Makes an input out of earlier ones: flips, boundary numbers, lies about lengths, cuts, repetitions, splices, words of the format. It
/// works in one buffer and allocates nothing, so that millions of inputs cost the parser's time and not the garbage collector's.
/// </summary>
internal sealed class Mutator(FuzzRandom random, IReadOnlyList<byte[]> words, int largest)
{
    private static readonly byte[] s_bytes = [0x00, 0x01, 0x02, 0x3F, 0x40, 0x7F, 0x80, 0x81, 0xFE, 0xFF];

    private static readonly ulong[] s_numbers =
    [
        0, 1, 2, 0x3F, 0x40, 0x7E, 0x7F, 0x80, 0xFF, 0x100, 1024, 1025, 4095, 4096, 4097, 0x7FFF, 0x8000, 0xFFFF, 0x1_0000, 0x7FFF_FFFE,
        0x7FFF_FFFF,
        0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFE, 0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000,
        0xFFFF_FFFF_FFFF_FFFE, 0xFFFF_FFFF_FFFF_FFFF,
    ];

    private readonly byte[] _buffer = new byte[largest];

    /// <summary>Bytes of the present input.</summary>
    public int Length { get; private set; }

    /// <summary>The present input, to be changed in place.</summary>
    public Span<byte> Bytes => _buffer.AsSpan(0, Length);

    /// <summary>The present input; valid until the next is made.</summary>
    public ReadOnlyMemory<byte> Memory => _buffer.AsMemory(0, Length);

    /// <summary>Makes the next input.</summary>
    public void Make(IReadOnlyList<byte[]> pool)
    {
        Take(random.Pick(pool));
        if (random.OneIn(16))
        {
            return;
        }

        int steps = random.OneIn(2) ? 1 : 1 + random.Next(5);
        for (int i = 0; i < steps; i++)
        {
            Step(pool);
        }
    }

    private void Take(byte[] source)
    {
        Length = Math.Min(source.Length, _buffer.Length);
        source.AsSpan(0, Length).CopyTo(_buffer);
    }

    private void Step(IReadOnlyList<byte[]> pool)
    {
        switch (random.Next(words.Count > 0 ? 14 : 12))
        {
            case 0 or 1:
                Flip();
                break;
            case 2:
                Overwrite(s_bytes[random.Next(s_bytes.Length)]);
                break;
            case 3:
                Lie();
                break;
            case 4:
                WriteNumber();
                break;
            case 5 or 6:
                WriteVarint();
                break;
            case 7:
                Length = random.Next(Length + 1);
                break;
            case 8:
                Remove();
                break;
            case 9:
                Repeat();
                break;
            case 10:
                Splice(random.Pick(pool));
                break;
            case 11:
                Noise();
                break;
            default:
                InsertWord(random.Pick(words));
                break;
        }
    }

    private void Flip()
    {
        if (Length > 0)
        {
            _buffer[random.Next(Length)] ^= (byte)(1 << random.Next(8));
        }
    }

    private void Overwrite(byte value)
    {
        if (Length > 0)
        {
            _buffer[random.Next(Length)] = value;
        }
    }

    /// <summary>Counts and sizes are mostly one byte: one more or less than the truth is the most telling lie.</summary>
    private void Lie()
    {
        if (Length > 0)
        {
            _buffer[random.Next(Length)] += (byte)(random.OneIn(2) ? 1 + random.Next(2) : 256 - 1 - random.Next(2));
        }
    }

    private void WriteNumber()
    {
        int size = 1 << (1 + random.Next(3));
        if (Length >= size)
        {
            Span<byte> bytes = stackalloc byte[8];
            BinaryPrimitives.WriteUInt64LittleEndian(bytes,
                s_numbers[random.Next(s_numbers.Length)] + (ulong)(random.OneIn(4) ? Length : 0));
            bytes[..size].CopyTo(_buffer.AsSpan(random.Next(Length - size + 1)));
        }
    }

    /// <summary>Puts a boundary number in the place of a byte, or before it.</summary>
    private void WriteVarint()
    {
        Span<byte> bytes = stackalloc byte[Varint.MaxSize64];
        int size = Varint.Write(bytes, s_numbers[random.Next(s_numbers.Length)]);
        int at = random.Next(Length + 1);
        int replaced = at < Length && !random.OneIn(4) ? 1 : 0;
        Replace(at, replaced, bytes[..size]);
    }

    private void Remove()
    {
        if (Length > 0)
        {
            int at = random.Next(Length);
            Replace(at, 1 + random.Next(Math.Min(Length - at, 16)), []);
        }
    }

    private void Repeat()
    {
        if (Length == 0)
        {
            return;
        }

        int at = random.Next(Length);
        int count = 1 + random.Next(Math.Min(Length - at, 64));
        Span<byte> copy = stackalloc byte[64];
        _buffer.AsSpan(at, count).CopyTo(copy);
        Replace(at, 0, copy[..count]);
    }

    private void Splice(byte[] other)
    {
        if (other.Length == 0)
        {
            return;
        }

        int from = random.Next(other.Length);
        int at = random.Next(Length + 1);
        if (random.OneIn(2))
        {
            Length = at;
            Replace(at, 0, other.AsSpan(from));
        }
        else
        {
            Replace(at, Math.Min(Length - at, random.Next(16)), other.AsSpan(from, 1 + random.Next(Math.Min(other.Length - from, 64))));
        }
    }

    private void Noise()
    {
        Span<byte> noise = stackalloc byte[8];
        BinaryPrimitives.WriteUInt64LittleEndian(noise, random.NextUInt64());
        Replace(random.Next(Length + 1), 0, noise[..(1 + random.Next(8))]);
    }

    private void InsertWord(byte[] word)
    {
        int at = random.Next(Length + 1);
        Replace(at, random.OneIn(2) ? Math.Min(Length - at, word.Length) : 0, word);
    }

    private void Replace(int at, int removed, ReadOnlySpan<byte> with)
    {
        with = with[..Math.Min(with.Length, _buffer.Length - (Length - removed))];
        _buffer.AsSpan(at + removed, Length - at - removed).CopyTo(_buffer.AsSpan(at + with.Length));
        with.CopyTo(_buffer.AsSpan(at));
        Length += with.Length - removed;
    }
}
