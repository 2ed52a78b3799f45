using System.Text;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Addresses, sizes, times and retention as text; addresses also come out of the catalog.</summary>
internal sealed class AddressTarget : FuzzTarget
{
    public override string Name => "texts";

    public override int Weight => 6;

    public override int Largest => 128;

    public override IReadOnlyList<byte[]> Words =>
        [.. ("tcp:|unix:|pipe:|[::1]|[|]|:|0|65535|65536|127.0.0.1|localhost|/|\0|KiB|TiB|B|ms|s|m|h|count:|size:|all|"
            + "9223372036854775807|0.5|1e5|-|+| ").Split('|').Select(Encoding.UTF8.GetBytes)];

    public override IEnumerable<byte[]> Seeds() =>
        [.. ("tcp:127.0.0.1:80|[::1]:5000|tcp:[fe80::1%3]:1|unix:/run/a.sock|/run/b|pipe:x|host:0|64KiB|1.5GiB|8EiB|"
            + "9223372036854775807|3s|500ms|0.5h|1m|count:2|size:10MB|all").Split('|').Select(Encoding.UTF8.GetBytes)];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        string text = Encoding.UTF8.GetString(input.Span);
        string outcome = "nothing known";
        if (EndPointName.TryParse(text, out EndPointName? endPoint, out string? reason))
        {
            Require(EndPointName.Parse(endPoint.ToString()) == endPoint, "an address that is shown reads as the same");
            outcome = Accepted;
        }
        else
        {
            Require(reason.Length > 0, "what is no address is told why");
        }

        if (ByteSize.TryParse(text, out long bytes))
        {
            Require(bytes >= 0 && ByteSize.TryParse(ByteSize.Format(bytes), out long same)
                && same == bytes, "a size that is shown reads as the same");
            outcome = "size";
        }

        if (Duration.TryParse(text, out TimeSpan time))
        {
            Require(time >= TimeSpan.Zero && Duration.TryParse(Duration.Format(time), out TimeSpan same)
                && same == time, "a time that is shown reads as the same");
            outcome = "time";
        }

        if (RetainOption.TryParse(text, out RetainOption retain))
        {
            Require(RetainOption.TryParse(retain.ToString(), out RetainOption same)
                && same == retain, "what is retained reads as the same when shown");
            outcome = "retention";
        }

        return outcome;
    }
}
