using System.Globalization;
using System.Text;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.CoordinatorHost.Ingress;

/// <summary>
/// The key of a call, as the header <c>Idempotency-Key</c> has it: <c>"order-42";t=1795439000</c>, a UUIDv7 or a ULID alone, or
/// <c>"0199...";n=17;low=15</c> in a session of numbered calls. <c>id</c>
/// names the instance that it is for. docs/internals/outside-calls.md says why it must have a time, and when an id.
/// </summary>
/// <param name="Text">What its caller calls it.</param>
/// <param name="Born">When it was made, in milliseconds since 1970.</param>
/// <param name="N">Its number in a session; 1 else.</param>
/// <param name="Low">The caller is done with all up to this number.</param>
/// <param name="InstanceId">The id of the instance that the call is for; null for any of its name.</param>
internal readonly record struct IdempotencyKey(string Text, ulong Born, ulong N, ulong Low, Guid? InstanceId)
{
    private const int MaxText = 255;
    private const ulong MaxNumber = 999_999_999_999_999; // An integer of a structured field.
    private const ulong MaxBorn = 253_402_300_799_999; // The end of the year 9999.
    private const ulong LeastBorn = 946_684_800_000; // The year 2000.
    private const string LowTooHigh = "its low reaches the call itself: low is the last number that the caller is done with";
    private const string BadId = "its id, or over gRPC its instance_id, is that of an instance: 32 hexadecimal digits, as GET /v1/instance "
        + "tells it";
    private const string Advice = "send a UUIDv7 or a ULID, or \"order-42\";t=1795439000 with the second at which the order was made";
    private const string FieldAdvice = "made counts the milliseconds since 1970, such as 1795439000000; a UUIDv7 or a ULID says it itself";

    /// <summary>Reads a header.</summary>
    /// <param name="header">Its value.</param>
    /// <param name="key">The key.</param>
    /// <param name="reason">Why it is none.</param>
    public static bool TryParse(string header, out IdempotencyKey key, out string reason)
    {
        key = default;
        ReadOnlySpan<char> rest = header.AsSpan().Trim(' ');
        if (!TryText(ref rest, out string text, out reason))
        {
            return false;
        }

        ulong? born = TimeOf(text);
        ulong n = 1;
        ulong low = 0;
        Guid? id = null;
        while (rest.Length > 0)
        {
            int end = rest[1..].IndexOf(';');
            ReadOnlySpan<char> parameter = (end < 0 ? rest[1..] : rest.Slice(1, end)).Trim(' ');
            rest = end < 0 ? default : rest[(end + 1)..];
            int equals = parameter.IndexOf('=');
            string name = equals < 0 ? parameter.ToString() : parameter[..equals].ToString();
            ReadOnlySpan<char> value = equals < 0 ? default : parameter[(equals + 1)..];
            bool valid = name switch
            {
                "t" => TrySeconds(value, out born),
                "n" => TryNumber(value, out n) && n > 0,
                "low" => TryNumber(value, out low),
                "id" => TryId(value, out id),
                _ => false,
            };
            if (!valid)
            {
                reason = name switch
                {
                    "t" => "its t counts the seconds since 1970, such as t=1795439000",
                    "n" or "low" => $"its {name} is no number of the kind that belongs there",
                    "id" => BadId,
                    _ => "it has a parameter that is none of t, n, low, id",
                };
                return false;
            }
        }

        if (born is not { } made)
        {
            reason = $"it does not say when it was made: {Advice}";
            return false;
        }

        key = new IdempotencyKey(text, made, n, low, id);
        reason = low < n ? "" : LowTooHigh;
        return low < n;
    }

    /// <summary>Reads one that came in fields. Its text has the same bounds, so that it may be asked for by each way.</summary>
    /// <param name="fields">The fields.</param>
    /// <param name="key">The key.</param>
    /// <param name="reason">Why it is none.</param>
    public static bool TryRead(in IngressKey fields, out IdempotencyKey key, out string reason)
    {
        ulong? born = fields.Made == 0 ? TimeOf(fields.Text) : fields.Made;
        ulong n = Math.Max(1, fields.Number);
        Guid? id = null;
        bool hasId = string.IsNullOrEmpty(fields.InstanceId) || TryId(fields.InstanceId, out id);
        key = new IdempotencyKey(fields.Text, born ?? 0, n, fields.Low, id);
        reason = fields.Text.Length is 0 or > MaxText || fields.Text.Any(static c => c is < ' ' or > '~')
            ? $"its text has from 1 to {MaxText} characters of visible ASCII"
            : born is null ? $"it does not say when it was made: {FieldAdvice}"
            : n > MaxNumber || fields.Low > MaxNumber || born > MaxBorn ? "a number of it is too large"
            : fields.Low >= n ? LowTooHigh : hasId ? "" : BadId;
        return reason.Length == 0;
    }

    /// <summary>
    /// Whether it says a time that cannot be meant, such as seconds where milliseconds belong: then no new call is taken. One that is kept
    /// may have been taken before anybody looked (docs/internals/outside-calls.md X24).
    /// </summary>
    public bool IsOfNoTime => Born < LeastBorn;

    /// <summary>The key as the core knows it.</summary>
    public OutsideKey Of(IngressCaller caller) => new(caller.Name, KeyHash.Of(Text), Born, N, Low);

    private static bool TryText(ref ReadOnlySpan<char> rest, out string text, out string reason)
    {
        text = "";
        reason = "";
        if (rest.Length == 0 || rest[0] != '"')
        {
            int end = rest.IndexOf(';');
            text = (end < 0 ? rest : rest[..end]).TrimEnd(' ').ToString();
            rest = end < 0 ? default : rest[end..];
            reason = TimeOf(text) is null ? $"only a UUIDv7 or a ULID may stand without quotation marks: {Advice}" : "";
            return reason.Length == 0;
        }

        var read = new StringBuilder();
        int at = 1;
        for (; at < rest.Length && rest[at] != '"'; at++)
        {
            bool escapes = rest[at] == '\\';
            at += escapes ? 1 : 0;
            if (at >= rest.Length || rest[at] is < ' ' or > '~' || (escapes && rest[at] is not ('"' or '\\')))
            {
                reason = "its text is no string of a structured field: visible ASCII, with \\\" and \\\\";
                return false;
            }

            read.Append(rest[at]);
        }

        text = read.ToString();
        ReadOnlySpan<char> after = at < rest.Length ? rest[(at + 1)..].TrimStart(' ') : default;
        bool closed = at < rest.Length && (after.Length == 0 || after[0] == ';');
        rest = after;
        reason = !closed ? "its text has no end, or something that is no parameter stands after it"
            : text.Length is 0 or > MaxText ? $"its text has from 1 to {MaxText} characters" : "";
        return reason.Length == 0;
    }

    // Both kinds begin with the milliseconds since 1970.
    private static ulong? TimeOf(string text) => text.Length switch
    {
        36 when IsUuid(text) && text[14] == '7' && text[19] is '8' or '9' or 'a' or 'b' or 'A' or 'B' =>
            ulong.Parse(string.Concat(text.AsSpan(0, 8), text.AsSpan(9, 4)), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture),
        26 => UlidTime(text),
        _ => null,
    };

    // Guid.TryParseExact takes signs, too.
    private static bool IsUuid(string text)
    {
        for (int i = 0; i < text.Length; i++)
        {
            if (i is 8 or 13 or 18 or 23 ? text[i] != '-' : !char.IsAsciiHexDigit(text[i]))
            {
                return false;
            }
        }

        return true;
    }

    private static ulong? UlidTime(string text)
    {
        const string Digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        ulong time = 0;
        for (int i = 0; i < text.Length; i++)
        {
            int digit = Digits.IndexOf(char.ToUpperInvariant(text[i]), StringComparison.Ordinal);
            if (digit < 0 || (i == 0 && digit > 7))
            {
                return null;
            }

            time = i < 10 ? (time << 5) | (uint)digit : time;
        }

        return time;
    }

    // Seconds, with three digits after the point at most, also as the date of a structured field: @1795439000.
    private static bool TrySeconds(ReadOnlySpan<char> value, out ulong? born)
    {
        ReadOnlySpan<char> digits = value.StartsWith("@") ? value[1..] : value;
        born = null;
        if (!decimal.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal seconds)
            || seconds > 253_402_300_799 || decimal.Round(seconds, 3) != seconds || digits.Length > 20)
        {
            return false;
        }

        born = (ulong)(seconds * 1000);
        return true;
    }

    // A string of a structured field, or the digits alone.
    private static bool TryId(ReadOnlySpan<char> value, out Guid? id)
    {
        bool isQuoted = value.Length > 1 && value[0] == '"' && value[^1] == '"';
        bool isRead = Guid.TryParseExact(isQuoted ? value[1..^1] : value, "N", out Guid read);
        id = isRead ? read : null;
        return isRead;
    }

    private static bool TryNumber(ReadOnlySpan<char> value, out ulong number) =>
        ulong.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number <= MaxNumber;
}
