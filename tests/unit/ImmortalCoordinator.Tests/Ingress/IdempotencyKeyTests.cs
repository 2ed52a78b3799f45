using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.Protocol.Ingress;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

public sealed class IdempotencyKeyTests
{
    [Theory]
    [InlineData("\"order-42\";t=1795439000", "order-42", 1_795_439_000_000, 1, 0)]
    [InlineData("\"order-42\"; t=@1795439000", "order-42", 1_795_439_000_000, 1, 0)]
    [InlineData(" \"order-42\" ;t=1795439000.125 ", "order-42", 1_795_439_000_125, 1, 0)]
    [InlineData("\"a;t=1 \\\"\\\\\";t=1795439002", "a;t=1 \"\\", 1_795_439_002_000, 1, 0)]
    [InlineData("01932c07-209f-7b5c-8a3e-0123456789ab", "01932c07-209f-7b5c-8a3e-0123456789ab", 0x01932c07209f, 1, 0)]
    [InlineData("\"01932c07-209f-7b5c-8a3e-0123456789ab\";n=17;low=15", "01932c07-209f-7b5c-8a3e-0123456789ab", 0x01932c07209f, 17, 15)]
    [InlineData("01932c07-209f-7b5c-8a3e-0123456789ab;n=2;t=1795439007", "01932c07-209f-7b5c-8a3e-0123456789ab", 1_795_439_007_000, 2, 0)]
    [InlineData("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV", 1_469_922_850_259, 1, 0)]
    [InlineData("\"\\\\\\\\\";t=1795439000", "\\\\", 1_795_439_000_000, 1, 0)]
    public void A_key_says_what_it_is_called_and_when_it_was_made(string header, string text, long born, long n, long low)
    {
        Assert.True(IdempotencyKey.TryParse(header, out IdempotencyKey key, out string reason), reason);
        Assert.Equal(new IdempotencyKey(text, (ulong)born, (ulong)n, (ulong)low, null), key);
    }

    [Theory]
    [InlineData("\"a\";t=1795439000;id=\"0123456789ABCDEF0123456789abcdef\"")]
    [InlineData("\"a\";id=0123456789abcdef0123456789abcdef;t=1795439000")]
    public void A_key_may_name_the_instance_that_it_is_for(string header)
    {
        Assert.True(IdempotencyKey.TryParse(header, out IdempotencyKey key, out string reason), reason);
        Assert.Equal(new Guid("0123456789abcdef0123456789abcdef"), key.InstanceId);
    }

    [Theory]
    [InlineData("")]
    [InlineData("order-42")]
    [InlineData("order-42;t=1795439000")]
    [InlineData("\"order-42\"")]
    [InlineData("\"order-42")]
    [InlineData("\"order-42\\")]
    [InlineData("\"order-42\\\"")]
    [InlineData("\"a\\b\";t=1795439000")]
    [InlineData("\"\";t=1795439000")]
    [InlineData("\"é\";t=1795439000")]
    [InlineData("\"a\u0001\";t=1795439000")]
    [InlineData("\"a\"x;t=1795439000")]
    [InlineData("\"a\", \"b\";t=1795439000")]
    [InlineData("\"a\";t=")]
    [InlineData("\"a\";t=-1")]
    [InlineData("\"a\";t=1795439000.0001")]
    [InlineData("\"a\";t=1795439000000000")]
    [InlineData("\"a\";t=99999999999999999999999999999")]
    [InlineData("\"a\";t=1795439000;n=0")]
    [InlineData("\"a\";t=1795439000;n=1;low=1")]
    [InlineData("\"a\";t=1795439000;low=1")]
    [InlineData("\"a\";t=1795439000;n=9999999999999999")]
    [InlineData("\"a\";t=1795439000;time=2")]
    [InlineData("\"a\";t=1795439000;id=")]
    [InlineData("\"a\";t=1795439000;id=\"\"")]
    [InlineData("\"a\";t=1795439000;id=\"0123456789abcdef0123456789abcde\"")]
    [InlineData("\"a\";t=1795439000;id=01234567-89ab-cdef-0123-456789abcdef")]
    [InlineData("\"a\";t=1795439000;")]
    [InlineData("01932c07-209f-4b5c-8a3e-0123456789ab")] // A UUID of version 4 says no time.
    [InlineData("01932c07-209f-7b5c-ca3e-0123456789ab")]
    [InlineData("+1932c07-209f-7b5c-8a3e-0123456789ab")]
    [InlineData("0x932c07-209f-7b5c-8a3e-0123456789ab")]
    [InlineData("81ARZ3NDEKTSV4RRFFQ69G5FAV")] // More than 48 bits of time.
    [InlineData("01ARZ3NDEKTSV4RRFFQ69G5FAU")]
    public void What_is_no_key_or_says_no_time_is_refused(string header)
    {
        Assert.False(IdempotencyKey.TryParse(header, out _, out string reason));
        Assert.NotEmpty(reason);
    }

    [Theory]
    [InlineData("1795439000000")] // Milliseconds, as JavaScript has them.
    [InlineData("$(date +%s)")] // As a shell sends what stands in single quotes.
    public void What_is_no_time_in_seconds_is_said_to_be_that(string time)
    {
        Assert.False(IdempotencyKey.TryParse($"\"order-42\";t={time}", out _, out string reason));
        Assert.Equal("its t counts the seconds since 1970, such as t=1795439000", reason);
    }

    [Theory]
    [InlineData(1_795_439_000ul, true)] // Seconds where milliseconds belong.
    [InlineData(946_684_799_999ul, true)]
    [InlineData(946_684_800_000ul, false)]
    public void A_time_that_cannot_be_meant_is_known_as_that_however_it_comes(ulong made, bool isNone)
    {
        string time = (made / 1000m).ToString(System.Globalization.CultureInfo.InvariantCulture);
        Assert.True(IdempotencyKey.TryParse($"\"a\";t={time}", out IdempotencyKey key, out _));
        Assert.Equal(isNone, key.IsOfNoTime);
        Assert.True(IdempotencyKey.TryRead(new IngressKey { Text = "a", Made = made }, out key, out _));
        Assert.Equal(isNone, key.IsOfNoTime);
        string uuid = made.ToString("x12", null);
        Assert.True(IdempotencyKey.TryParse($"{uuid[..8]}-{uuid[8..]}-7b5c-8a3e-0123456789ab", out key, out _));
        Assert.Equal(isNone, key.IsOfNoTime);
    }

    [Fact]
    public void A_text_has_at_most_255_characters()
    {
        Assert.True(IdempotencyKey.TryParse($"\"{new string('a', 255)}\";t=1795439000", out _, out _));
        Assert.False(IdempotencyKey.TryParse($"\"{new string('a', 256)}\";t=1795439000", out _, out _));
    }

    [Fact] // Seeds are fixed: a failure repeats.
    public void Nothing_that_is_sent_brings_anything_but_a_refusal()
    {
        const string Alphabet = "\"\\;=@.,tnlow0179a-Z ";
        var random = new Random(4);
        for (int i = 0; i < 50_000; i++)
        {
            string header = string.Concat(Enumerable.Range(0, random.Next(24)).Select(_ => Alphabet[random.Next(Alphabet.Length)]));
            if (IdempotencyKey.TryParse(header, out IdempotencyKey key, out string reason))
            {
                Assert.InRange(key.Text.Length, 1, 255);
                Assert.True(key.Low < key.N);
            }
            else
            {
                Assert.NotEmpty(reason);
            }
        }
    }
}
