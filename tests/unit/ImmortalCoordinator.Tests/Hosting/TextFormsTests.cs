using Ambrosia.Coordinator.Transport;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

public sealed class TextFormsTests
{
    [Theory]
    [InlineData("0", 0, "0")]
    [InlineData("65536", 65536, "64KiB")]
    [InlineData("64MiB", 64L << 20, "64MiB")]
    [InlineData("1.5 gib", 3L << 29, "1536MiB")]
    [InlineData("10MB", 10_000_000, "10000000")]
    [InlineData("7B", 7, "7")]
    [InlineData("9223372036854775807", long.MaxValue, "9223372036854775807")]
    public void A_size_reads_as_people_write_it(string text, long bytes, string shortest)
    {
        Assert.True(ByteSize.TryParse(text, out long read));
        Assert.Equal(bytes, read);
        Assert.Equal(shortest, ByteSize.Format(read));
    }

    [Theory]
    [InlineData("")]
    [InlineData("MiB")]
    [InlineData("-1")]
    [InlineData("1e3")]
    [InlineData("0.3B")]
    [InlineData("64MX")]
    [InlineData("9223372036854775808")]
    [InlineData("99999999TiB")]
    public void What_is_no_size_is_refused(string text) => Assert.False(ByteSize.TryParse(text, out _));

    [Theory]
    [InlineData("500ms", 500, "500ms")]
    [InlineData("3s", 3000, "3s")]
    [InlineData("1.5m", 90_000, "90s")]
    [InlineData("120s", 120_000, "2m")]
    [InlineData("2h", 7_200_000, "2h")]
    [InlineData("0s", 0, "0s")]
    public void A_time_reads_as_people_write_it(string text, long milliseconds, string shortest)
    {
        Assert.True(Duration.TryParse(text, out TimeSpan read));
        Assert.Equal(milliseconds, read.TotalMilliseconds);
        Assert.Equal(shortest, Duration.Format(read));
    }

    [Theory]
    [InlineData("3")]
    [InlineData("s")]
    [InlineData("-3s")]
    [InlineData("3 days")]
    [InlineData("999999999999999999999h")]
    public void What_is_no_time_is_refused(string text) => Assert.False(Duration.TryParse(text, out _));

    [Theory]
    [InlineData("tcp:127.0.0.1:0", "tcp:127.0.0.1:0", true)]
    [InlineData("localhost:80", "tcp:localhost:80", true)]
    [InlineData("[::1]:80", "tcp:[::1]:80", true)]
    [InlineData("10.1.2.3:80", "tcp:10.1.2.3:80", false)]
    [InlineData("bank-0.bank:80", "tcp:bank-0.bank:80", false)]
    [InlineData("/run/a.sock", "unix:/run/a.sock", true)]
    [InlineData("unix:/run/a.sock", "unix:/run/a.sock", true)]
    [InlineData("pipe:bank", "pipe:bank", true)]
    public void An_address_reads_as_people_write_it(string text, string full, bool local)
    {
        EndPointName read = EndPointName.Parse(text);
        Assert.Equal(full, read.ToString());
        Assert.Equal(read, EndPointName.Parse(full));
        Assert.Equal(full, read.Scheme == EndPointScheme.Tcp ? "tcp:" + read.Authority : full);
        Assert.Equal(local, read.IsLocal);
    }

    [Theory]
    [InlineData("")]
    [InlineData("host")]
    [InlineData(":80")]
    [InlineData("host:")]
    [InlineData("host:-1")]
    [InlineData("host:65536")]
    [InlineData("ho st:80")]
    [InlineData("[host]:80")]
    [InlineData("unix:relative")]
    [InlineData("unix:/folder/")]
    [InlineData("pipe:")]
    public void What_is_no_address_is_refused_with_a_reason(string text)
    {
        Assert.False(EndPointName.TryParse(text, out _, out string? reason));
        Assert.False(string.IsNullOrEmpty(reason));
        Assert.Contains(reason, Assert.Throws<FormatException>(() => EndPointName.Parse(text)).Message, StringComparison.Ordinal);
    }
}
