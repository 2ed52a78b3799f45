using System.Buffers;
using System.Buffers.Binary;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Json;

namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Turns JSON's texts, numbers and truth values into what stands in messages.</summary>
internal sealed class ScalarEncoder(PackWriter output, JsonPath path)
{
    /// <summary>What a value is, for people.</summary>
    public static string Describe(JsonElement value) => value.ValueKind switch
    {
        JsonValueKind.Object => "an object",
        JsonValueKind.Array => "an array",
        JsonValueKind.String => "text",
        JsonValueKind.Number => "a number",
        JsonValueKind.Null => "null",
        _ => "a truth value",
    };

    /// <summary>A value of a type.</summary>
    public void Write(JsonElement value, ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Bool when value.ValueKind is JsonValueKind.True or JsonValueKind.False:
                output.Bool(value.GetBoolean());
                break;
            case ScalarKind.Bool:
                throw path.Wrong($"true or false belongs here, not {Describe(value)}");
            case ScalarKind.Float16 or ScalarKind.Float32 or ScalarKind.Float64:
                WriteFloat(value, kind);
                break;
            case ScalarKind.Char or ScalarKind.Rune when value.ValueKind == JsonValueKind.Number:
                WriteInteger(IntegerOf(value), kind == ScalarKind.Char ? ScalarKind.UInt16 : ScalarKind.Int32);
                break;
            case ScalarKind.Decimal or >= ScalarKind.Int8 and <= ScalarKind.Integer when value.ValueKind == JsonValueKind.Number:
                WriteText(value.GetRawText(), kind);
                break;
            case ScalarKind.Text:
                WriteText(TextOf(value), kind);
                break;
            default:
                WriteText(value.ValueKind == JsonValueKind.String ? TextOf(value) : throw Wrong(kind, $", not {Describe(value)}"), kind);
                break;
        }
    }

    /// <summary>A value of an enum: names, or its number.</summary>
    public void Write(JsonElement value, EnumShape names)
    {
        if (value.ValueKind == JsonValueKind.Number)
        {
            WriteInteger(IntegerOf(value), names.Numbers);
            return;
        }

        WriteName(value.ValueKind == JsonValueKind.String ? TextOf(value)
            : throw path.Wrong($"one of {NamesOf(names)} belongs here, not {Describe(value)}"), names);
    }

    /// <summary>The name of a member that is the key of a map.</summary>
    public void WriteKey(string name, TypeShape key)
    {
        switch (key)
        {
            case EnumShape names:
                WriteName(name, names);
                break;
            case ScalarShape { Kind: ScalarKind.Bool }:
                output.Bool(name == "true" || (name == "false" ? false : throw path.Wrong("true or false belongs here")));
                break;
            case ScalarShape { Kind: ScalarKind.Float16 or ScalarKind.Float32 or ScalarKind.Float64 } number:
                WriteFloatKey(name, number.Kind);
                break;
            case ScalarShape scalar:
                WriteText(name, scalar.Kind);
                break;
        }
    }

    /// <summary>A value of a type that only the app knows: as it is.</summary>
    public void WriteAny(JsonElement value)
    {
        switch (value.ValueKind)
        {
            case JsonValueKind.True or JsonValueKind.False:
                output.Bool(value.GetBoolean());
                break;
            case JsonValueKind.String:
                output.Text(TextOf(value));
                break;
            case JsonValueKind.Number when value.TryGetInt64(out long whole):
                output.Integer(whole);
                break;
            case JsonValueKind.Number when value.TryGetUInt64(out ulong large):
                output.Unsigned(large);
                break;
            case JsonValueKind.Number:
                output.Double(value.GetDouble());
                break;
            default:
                output.Nil();
                break;
        }
    }

    /// <summary>A text without half characters.</summary>
    public string TextOf(JsonElement value)
    {
        if (value.ValueKind != JsonValueKind.String)
        {
            throw path.Wrong($"text belongs here, not {Describe(value)}");
        }

        try
        {
            return value.GetString()!;
        }
        catch (InvalidOperationException)
        {
            throw path.Wrong("the text holds half a character");
        }
    }

    private void WriteText(string text, ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Text:
                output.Text(text);
                break;
            case ScalarKind.Decimal:
                output.Text(ExactNumber.TryDecimal(text, out decimal value)
                    ? value.ToString(CultureInfo.InvariantCulture)
                    : throw Wrong(kind));
                break;
            case ScalarKind.Char:
                output.Unsigned(text.Length == 1 ? text[0] : throw Wrong(kind));
                break;
            case ScalarKind.Rune:
                bool isOne = Rune.DecodeFromUtf16(text, out Rune rune, out int used) == OperationStatus.Done && used == text.Length;
                output.Integer(isOne ? rune.Value : throw Wrong(kind));
                break;
            case ScalarKind.Uri:
                output.Text(Uri.TryCreate(text, UriKind.RelativeOrAbsolute, out _) ? text : throw Wrong(kind));
                break;
            case ScalarKind.Version:
                output.Text(Version.TryParse(text, out Version? version) ? version.ToString() : throw Wrong(kind));
                break;
            case ScalarKind.Uuid:
                output.Text(Guid.TryParseExact(text, "D", out Guid id) ? id.ToString("D") : throw Wrong(kind));
                break;
            case ScalarKind.Bytes:
                WriteBytes(text);
                break;
            case >= ScalarKind.Time:
                WriteTime(text, kind);
                break;
            default:
                WriteInteger(ExactNumber.TryInteger(text, out BigInteger whole) ? whole : throw Wrong(kind), kind);
                break;
        }
    }

    private void WriteTime(string text, ScalarKind kind)
    {
        switch (kind)
        {
            case ScalarKind.Time:
                output.Time(TimeText.TryTime(text, out long time) ? time : throw Wrong(kind));
                break;
            case ScalarKind.Clock:
                DateTimeOffset clock = TimeText.TryClock(text, out DateTimeOffset read) ? read : throw Wrong(kind);
                output.Array(2);
                output.Time(clock.Ticks);
                output.Integer((long)clock.Offset.TotalMinutes);
                break;
            case ScalarKind.Date:
                bool isDate = DateOnly.TryParseExact(text, "yyyy-MM-dd", CultureInfo.InvariantCulture, DateTimeStyles.None,
                    out DateOnly date);
                output.Integer(isDate ? date.DayNumber : throw Wrong(kind));
                break;
            case ScalarKind.TimeOfDay:
                output.Integer(TimeText.TryTimeOfDay(text, out TimeOnly timeOfDay) ? timeOfDay.Ticks : throw Wrong(kind));
                break;
            default:
                output.Integer(TimeText.TrySpan(text, out TimeSpan span) ? span.Ticks : throw Wrong(kind));
                break;
        }
    }

    private void WriteBytes(string text)
    {
        var bytes = new byte[text.Length * 3 / 4];
        bool isBase64 = Convert.TryFromBase64String(text, bytes, out int size);
        output.Binary(isBase64 ? bytes.AsSpan(0, size) : throw Wrong(ScalarKind.Bytes));
    }

    private void WriteName(string text, EnumShape names) => WriteInteger(
        names.TryParse(text, out BigInteger value)
            ? value
            : throw path.Wrong($"{JsonPath.Shown(text)} is none of {NamesOf(names)}"),
        names.Numbers);

    private static string NamesOf(EnumShape names) => string.Join(", ", names.Values.Select(static pair => pair.Key));

    private JsonValueException Wrong(ScalarKind kind, string rest = "") => path.Wrong(kind switch
    {
        ScalarKind.Decimal => $"a decimal belongs here, of at most 28 digits{rest}",
        ScalarKind.Char or ScalarKind.Rune => $"one character belongs here{rest}",
        ScalarKind.Uri => $"a URI belongs here{rest}",
        ScalarKind.Version => $"a version belongs here, such as \"1.2.3\"{rest}",
        ScalarKind.Uuid => $"a UUID belongs here, such as \"0f8fad5b-d9cb-469f-a165-70867728950e\"{rest}",
        ScalarKind.Bytes => $"base64 belongs here{rest}",
        ScalarKind.Time => $"a time belongs here, such as \"2026-11-26T17:30:00Z\"{rest}",
        ScalarKind.Clock => $"a time with its offset belongs here, such as \"2026-11-26T17:30:00+01:00\"{rest}",
        ScalarKind.Date => $"a date belongs here, such as \"2026-11-26\"{rest}",
        ScalarKind.TimeOfDay => $"a time of day belongs here, such as \"17:30:00\"{rest}",
        > ScalarKind.TimeOfDay => $"a span of time belongs here, such as \"PT1H30M\" or \"01:30:00\"{rest}",
        _ => $"a whole number belongs here{rest}",
    });

    private BigInteger IntegerOf(JsonElement value) =>
        ExactNumber.TryInteger(value.GetRawText(), out BigInteger whole) ? whole : throw path.Wrong("a whole number belongs here");

    private void WriteInteger(BigInteger value, ScalarKind kind)
    {
        if (ScalarRange.Of(kind) is { } range && (value < range.Least || value > range.Most))
        {
            throw path.Wrong(string.Create(CultureInfo.InvariantCulture, $"{value} is out of range: {range.Least} to {range.Most}"));
        }

        Span<byte> digits = stackalloc byte[16];
        switch (kind)
        {
            case ScalarKind.Integer:
                output.Binary(value.ToByteArray());
                break;
            case ScalarKind.Int128:
                BinaryPrimitives.WriteInt128BigEndian(digits, (Int128)value);
                output.Binary(digits);
                break;
            case ScalarKind.UInt128:
                BinaryPrimitives.WriteUInt128BigEndian(digits, (UInt128)value);
                output.Binary(digits);
                break;
            case var _ when value > long.MaxValue:
                output.Unsigned((ulong)value);
                break;
            default:
                output.Integer((long)value);
                break;
        }
    }

    private void WriteFloat(JsonElement value, ScalarKind kind)
    {
        if (value.ValueKind == JsonValueKind.String)
        {
            WriteFloat(TextOf(value), kind);
        }
        else
        {
            WriteFloat(value.ValueKind == JsonValueKind.Number
                ? value.GetDouble() : throw path.Wrong($"a number belongs here, not {Describe(value)}"), kind);
        }
    }

    // A name has no quotes to tell a number from a text.
    private void WriteFloatKey(string name, ScalarKind kind)
    {
        const NumberStyles Number = NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent;
        if (name.Length > 0 && char.IsAsciiDigit(name[^1]) && double.TryParse(name, Number, CultureInfo.InvariantCulture, out double value))
        {
            WriteFloat(value, kind);
        }
        else
        {
            WriteFloat(name, kind);
        }
    }

    private void WriteFloat(string text, ScalarKind kind) => WriteFloat(
        text switch
        {
            "NaN" => double.NaN,
            "Infinity" => double.PositiveInfinity,
            "-Infinity" => double.NegativeInfinity,
            _ => throw path.Wrong("a number belongs here, or \"NaN\", \"Infinity\", \"-Infinity\""),
        },
        kind,
        isNamed: true);

    private void WriteFloat(double value, ScalarKind kind, bool isNamed = false)
    {
        bool fits = kind switch
        {
            ScalarKind.Float16 => Half.IsFinite((Half)value),
            ScalarKind.Float32 => float.IsFinite((float)value),
            _ => double.IsFinite(value),
        };
        if (!fits && !isNamed)
        {
            throw path.Wrong("the number is too large");
        }

        if (kind == ScalarKind.Float64)
        {
            output.Double(value);
        }
        else
        {
            output.Single((float)value);
        }
    }
}
