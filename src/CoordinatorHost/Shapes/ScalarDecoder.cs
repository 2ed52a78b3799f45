using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Json;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Turns values that consist of no others into JSON.</summary>
internal static class ScalarDecoder
{
    /// <summary>A value of a type.</summary>
    public static void Write(ref PackReader reader, Utf8JsonWriter json, ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Bool:
                json.WriteBooleanValue(reader.Bool());
                break;
            case ScalarKind.Float16 or ScalarKind.Float32 or ScalarKind.Float64:
                WriteFloat(json, reader.Float(), isSingle: kind != ScalarKind.Float64);
                break;
            case >= ScalarKind.Int8 and <= ScalarKind.Integer:
                WriteInteger(json, IntegerOf(ref reader, kind));
                break;
            case ScalarKind.Text or ScalarKind.Uri or ScalarKind.Version or ScalarKind.Uuid or ScalarKind.Decimal:
                json.WriteStringValue(reader.Text());
                break;
            case ScalarKind.Bytes:
                json.WriteBase64StringValue(reader.Binary());
                break;
            case ScalarKind.Char:
                char unit = checked((char)InRange(reader.Int64(), char.MaxValue));
                if (char.IsSurrogate(unit))
                {
                    json.WriteNumberValue((int)unit);
                }
                else
                {
                    json.WriteStringValue(unit.ToString());
                }

                break;
            default:
                json.WriteStringValue(TextOf(ref reader, kind));
                break;
        }
    }

    /// <summary>A value of an enum: its name if it has one.</summary>
    public static void Write(ref PackReader reader, Utf8JsonWriter json, EnumShape names)
    {
        BigInteger value = reader.Integer();
        if (names.NameOf(value) is { } name)
        {
            json.WriteStringValue(name);
        }
        else
        {
            WriteInteger(json, value);
        }
    }

    /// <summary>The key of a map as a name.</summary>
    public static string Name(ref PackReader reader, TypeShape key)
    {
        if (key is EnumShape names)
        {
            BigInteger value = reader.Integer();
            return names.NameOf(value) ?? value.ToString(CultureInfo.InvariantCulture);
        }

        // As it would stand in JSON by itself, without the marks.
        var output = new ArrayBufferWriter<byte>(64);
        using (var json = new Utf8JsonWriter(output))
        {
            Write(ref reader, json, ((ScalarShape)key).Kind);
        }

        return Plain(output.WrittenMemory);
    }

    /// <summary>The key of a map whose type is not known, as a name.</summary>
    public static string AnyName(ref PackReader reader)
    {
        if (reader.Kind is PackKind.Array or PackKind.Map)
        {
            throw new PackException("a key that consists of others");
        }

        var output = new ArrayBufferWriter<byte>(64);
        using (var json = new Utf8JsonWriter(output))
        {
            WriteAny(ref reader, json);
        }

        return Plain(output.WrittenMemory);
    }

    /// <summary>A value whose type is not known.</summary>
    public static void WriteAny(ref PackReader reader, Utf8JsonWriter json)
    {
        switch (reader.Kind)
        {
            case PackKind.Nil:
                reader.TryNil();
                json.WriteNullValue();
                break;
            case PackKind.Bool:
                json.WriteBooleanValue(reader.Bool());
                break;
            case PackKind.Integer:
                WriteInteger(json, reader.Integer());
                break;
            case PackKind.Float:
                bool isSingle = reader.IsSingle;
                WriteFloat(json, reader.Float(), isSingle);
                break;
            case PackKind.Text:
                json.WriteStringValue(reader.Text());
                break;
            case PackKind.Binary:
                json.WriteBase64StringValue(reader.Binary());
                break;
            default:
                json.WriteStringValue(TimeText.OfTime(reader.Time()));
                break;
        }
    }

    private static string Plain(ReadOnlyMemory<byte> json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        JsonElement value = document.RootElement;
        return value.ValueKind == JsonValueKind.String ? value.GetString()! : value.GetRawText();
    }

    private static BigInteger IntegerOf(ref PackReader reader, ScalarKind kind)
    {
        if (kind < ScalarKind.Int128)
        {
            return reader.Integer();
        }

        ReadOnlySpan<byte> bytes = reader.Binary();
        return kind == ScalarKind.Integer ? new BigInteger(bytes)
            : bytes.Length != 16 ? throw new PackException("an integer of another size")
            : kind == ScalarKind.Int128 ? (BigInteger)BinaryPrimitives.ReadInt128BigEndian(bytes)
            : (BigInteger)BinaryPrimitives.ReadUInt128BigEndian(bytes);
    }

    private static string TextOf(ref PackReader reader, ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Rune:
                int value = (int)InRange(reader.Int64(), 0x10ffff);
                return Rune.IsValid(value) ? new Rune(value).ToString() : throw new PackException("half a character");
            case ScalarKind.Time:
                return TimeText.OfTime(reader.Time());
            case ScalarKind.Clock:
                return reader.Array() == 2 ? ClockOf(reader.Time(), reader.Int64()) : throw new PackException("a clock is an array of two");
            case ScalarKind.Date:
                return DateOnly.FromDayNumber((int)InRange(reader.Int64(), DateOnly.MaxValue.DayNumber))
                    .ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
            case ScalarKind.TimeOfDay:
                return TimeText.OfTimeOfDay(new TimeOnly(InRange(reader.Int64(), TimeOnly.MaxValue.Ticks)));
            default:
                return TimeText.OfSpan(new TimeSpan(reader.Int64()));
        }
    }

    private static string ClockOf(long ticks, long minutes)
    {
        long utc = minutes is >= -14 * 60 and <= 14 * 60 ? ticks - (minutes * TimeSpan.TicksPerMinute) : -1;
        return utc >= 0 && utc <= DateTime.MaxValue.Ticks
            ? TimeText.OfClock(new DateTimeOffset(ticks, TimeSpan.FromMinutes(minutes)))
            : throw new PackException("a clock that no place has");
    }

    private static long InRange(long value, long most) =>
        value >= 0 && value <= most ? value : throw new PackException($"{value} is out of range");

    private static void WriteInteger(Utf8JsonWriter json, BigInteger value)
    {
        if (BigInteger.Abs(value) <= ScalarRange.Safe)
        {
            json.WriteNumberValue((long)value);
        }
        else
        {
            json.WriteStringValue(value.ToString(CultureInfo.InvariantCulture));
        }
    }

    private static void WriteFloat(Utf8JsonWriter json, double value, bool isSingle)
    {
        if (!double.IsFinite(value))
        {
            json.WriteStringValue(double.IsNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
        }
        else if (isSingle)
        {
            json.WriteNumberValue((float)value);
        }
        else
        {
            json.WriteNumberValue(value);
        }
    }
}
