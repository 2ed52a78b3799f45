using System.Buffers;
using System.Buffers.Binary;
using System.Text;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Writes MessagePack as the C# binding does: integers in their shortest form.</summary>
internal sealed class PackWriter(IBufferWriter<byte> output)
{
    public void Nil() => Byte(0xc0);

    public void Bool(bool value) => Byte(value ? (byte)0xc3 : (byte)0xc2);

    public void Integer(long value)
    {
        switch (value)
        {
            case >= 0:
                Unsigned((ulong)value);
                break;
            case >= -32:
                Byte(unchecked((byte)value));
                break;
            case >= sbyte.MinValue:
                Number(0xd0, 1, value);
                break;
            case >= short.MinValue:
                Number(0xd1, 2, value);
                break;
            case >= int.MinValue:
                Number(0xd2, 4, value);
                break;
            default:
                Number(0xd3, 8, value);
                break;
        }
    }

    public void Unsigned(ulong value)
    {
        switch (value)
        {
            case <= 0x7f:
                Byte((byte)value);
                break;
            case <= byte.MaxValue:
                Number(0xcc, 1, unchecked((long)value));
                break;
            case <= ushort.MaxValue:
                Number(0xcd, 2, unchecked((long)value));
                break;
            case <= uint.MaxValue:
                Number(0xce, 4, unchecked((long)value));
                break;
            default:
                Number(0xcf, 8, unchecked((long)value));
                break;
        }
    }

    public void Single(float value) => Number(0xca, 4, BitConverter.SingleToUInt32Bits(value));

    public void Double(double value) => Number(0xcb, 8, BitConverter.DoubleToInt64Bits(value));

    public void Text(string value)
    {
        byte[] utf8 = Encoding.UTF8.GetBytes(value);
        if (utf8.Length < 32)
        {
            Byte((byte)(0xa0 | utf8.Length));
        }
        else if (utf8.Length <= byte.MaxValue)
        {
            Number(0xd9, 1, utf8.Length);
        }
        else
        {
            Sized(0xda, utf8.Length);
        }

        output.Write(utf8);
    }

    public void Binary(ReadOnlySpan<byte> value)
    {
        if (value.Length <= byte.MaxValue)
        {
            Number(0xc4, 1, value.Length);
        }
        else
        {
            Sized(0xc5, value.Length);
        }

        output.Write(value);
    }

    public void Array(int count)
    {
        if (count < 16)
        {
            Byte((byte)(0x90 | count));
        }
        else
        {
            Sized(0xdc, count);
        }
    }

    public void Map(int count)
    {
        if (count < 16)
        {
            Byte((byte)(0x80 | count));
        }
        else
        {
            Sized(0xde, count);
        }
    }

    /// <summary>A time in UTC, in the shortest form of MessagePack's own timestamp.</summary>
    public void Time(long ticks)
    {
        long seconds = Math.DivRem(ticks - DateTime.UnixEpoch.Ticks, TimeSpan.TicksPerSecond, out long rest);
        if (rest < 0)
        {
            (seconds, rest) = (seconds - 1, rest + TimeSpan.TicksPerSecond);
        }

        ulong nanoseconds = (ulong)rest * 100;
        if (seconds is >= 0 and <= uint.MaxValue && nanoseconds == 0)
        {
            Byte(0xd6);
            Number(0xff, 4, seconds);
        }
        else if (seconds is >= 0 and < 1L << 34)
        {
            Byte(0xd7);
            Number(0xff, 8, unchecked((long)((nanoseconds << 34) | (ulong)seconds)));
        }
        else
        {
            Number(0xc7, 1, 12);
            Number(0xff, 4, (long)nanoseconds);
            Span<byte> digits = output.GetSpan(8);
            BinaryPrimitives.WriteInt64BigEndian(digits, seconds);
            output.Advance(8);
        }
    }

    public void Raw(ReadOnlySpan<byte> bytes) => output.Write(bytes);

    // Of 16 bits, or of 32 with the next code.
    private void Sized(byte code, int count)
    {
        if (count <= ushort.MaxValue)
        {
            Number(code, 2, count);
        }
        else
        {
            Number((byte)(code + 1), 4, count);
        }
    }

    private void Number(byte code, int size, long value)
    {
        Byte(code);
        Span<byte> digits = stackalloc byte[8];
        BinaryPrimitives.WriteInt64BigEndian(digits, value);
        output.Write(digits[^size..]);
    }

    private void Byte(byte value)
    {
        output.GetSpan(1)[0] = value;
        output.Advance(1);
    }
}
