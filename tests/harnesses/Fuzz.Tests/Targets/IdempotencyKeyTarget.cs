using System.Globalization;
using System.Text;
using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Fuzz.Tests.Engine;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>The header <c>Idempotency-Key</c>: what is read survives being written and read again.</summary>
internal sealed class IdempotencyKeyTarget : FuzzTarget
{
    private const string Pieces =
        "\"|\\\"|\\\\|;|; "
        + "|t=|t=@|n=|low=|=|.|1795439000|1795439000.123|253402300799|253402300800|999999999999999|1000000000000000|-1|+1|1e5|é|\0| ";

    public override string Name => "idempotency-keys";

    public override int Weight => 4;

    public override int Largest => 320;

    public override IReadOnlyList<byte[]> Words => [.. Pieces.Split('|').Select(Encoding.UTF8.GetBytes)];

    public override IEnumerable<byte[]> Seeds() =>
    [
        "\"order-42\";t=1795439000"u8.ToArray(),
        "\"a \\\"quoted\\\" \\\\ one\" ; t=@1795439000.5"u8.ToArray(),
        "\"session\";t=1795439000;n=17;low=15"u8.ToArray(),
        "\"order-42\";t=1795439000;id=\"0123456789abcdef0123456789abcdef\""u8.ToArray(),
        "0199d9f0-5a3b-7c11-8f3e-0123456789ab"u8.ToArray(),
        "0199d9f0-5a3b-7c11-8f3e-0123456789ab;n=2;low=1"u8.ToArray(),
        "01K7CZ0PHVQ5S6Y3J9WZ8B2M4D"u8.ToArray(),
        "\"\";t=1"u8.ToArray(),
        "order-42;t=1"u8.ToArray(),
        [(byte)'"', .. Enumerable.Repeat((byte)'x', 256), (byte)'"', .. ";t=1"u8],
    ];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        string text = Encoding.UTF8.GetString(input.Span);
        if (!IdempotencyKey.TryParse(text, out IdempotencyKey key, out string reason))
        {
            Require(reason.Length > 0, "what is no key is told why");
            return reason.StartsWith("it does not say when", StringComparison.Ordinal) ? "no time" : reason.Split(':')[0];
        }

        Require(reason.Length == 0 && key.Text.Length is > 0 and <= 255, "a key has a text of at most 255 characters");
        Require(key.N > key.Low, "a call is not done with before it is made");
        string escaped = key.Text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\"", "\\\"", StringComparison.Ordinal);
        string seconds = (key.Born / 1000m).ToString(CultureInfo.InvariantCulture);
        string id = key.InstanceId is { } named ? $";id=\"{named:N}\"" : "";
        bool again = IdempotencyKey.TryParse($"\"{escaped}\";t={seconds};n={key.N};low={key.Low}{id}", out IdempotencyKey same, out _);
        Require((again && same == key) || key.Born > 253_402_300_799_000, "a key that is written reads as the same");
        return Accepted;
    }
}
