using System.Net;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost.Jwt;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingress;

/// <summary>Where keys come from, and what happens while nobody can be asked.</summary>
public sealed class JwtKeySourceTests : IDisposable
{
    private readonly string _file = Path.Combine(Path.GetTempPath(), $"keys-{Guid.NewGuid():N}.json");
    private readonly Issuer _one = new(), _two = new("two");
    private readonly SteppedTime _time = new();

    public void Dispose() => File.Delete(_file);

    [Fact]
    public async Task A_file_that_was_replaced_counts_a_second_later_or_when_a_key_is_missing_and_a_broken_one_does_not()
    {
        await File.WriteAllTextAsync(_file, _one.KeySet);
        using JwtKeyFile source = JwtKeyFile.Load(_file, "--ingress-jwt-keys", _time, NullLogger.Instance);
        await File.WriteAllTextAsync(_file, _two.KeySet);
        Assert.True(source.Current.Knows("one-rsa"));
        _time.Passed += TimeSpan.FromSeconds(1);
        Assert.True(source.Current.Knows("two-rsa"));
        await File.WriteAllTextAsync(_file, _one.KeySet);
        await source.RenewAsync(default);
        Assert.True(source.Current.Knows("one-rsa"));
        await File.WriteAllTextAsync(_file, "{");
        _time.Passed += TimeSpan.FromSeconds(2);
        Assert.True(source.Current.Knows("one-rsa"));
        File.Delete(_file);
        _time.Passed += TimeSpan.FromSeconds(2);
        Assert.True(source.Current.Knows("one-rsa"));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("""{"keys":[]}""")]
    public void A_file_without_keys_stops_the_start(string? text)
    {
        if (text is not null)
        {
            File.WriteAllText(_file, text);
        }

        CoordinatorException refused = Assert.Throws<CoordinatorException>(
            () => JwtKeyFile.Load(_file, "--ingress-jwt-keys", _time, NullLogger.Instance));
        Assert.Equal("IC-1045", refused.Error.Id);
        Assert.Contains("--ingress-jwt-keys", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_address_is_asked_once_for_all_who_wait_and_not_again_within_ten_seconds()
    {
        using var publisher = new KeyPublisher { Text = _one.KeySet };
        using var source = new JwtKeyAddress(publisher.Address, _time, NullLogger.Instance);
        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => source.RenewAsync(default)));
        Assert.True(source.Current!.Knows("one-rsa"));
        Assert.Equal(1, publisher.Asked);
        publisher.Text = _two.KeySet;
        await source.RenewAsync(default);
        Assert.True(source.Current!.Knows("one-rsa"));
        _time.Passed += TimeSpan.FromSeconds(10);
        await source.RenewAsync(default);
        Assert.True(source.Current!.Knows("two-rsa"));
        Assert.Equal(2, publisher.Asked);
        _time.Passed += TimeSpan.FromMinutes(10);
        Assert.True(source.Current!.Knows("two-rsa")); // It asks, and does not wait.
        await source.RenewAsync(default);
        Assert.Equal(3, publisher.Asked);
        Assert.False(source.IsOld);
        _time.Passed += TimeSpan.FromHours(1);
        Assert.True(source.IsOld);
        await source.RenewAsync(default);
        Assert.False(source.IsOld);
    }

    [Theory]
    [InlineData(HttpStatusCode.InternalServerError)]
    [InlineData(HttpStatusCode.Redirect)]
    [InlineData(HttpStatusCode.OK)] // With something else.
    public async Task While_an_address_gives_no_keys_the_last_ones_are_used_on(HttpStatusCode status)
    {
        using var publisher = new KeyPublisher { Text = "<html>", Status = status };
        using var source = new JwtKeyAddress(publisher.Address, _time, NullLogger.Instance);
        await source.RenewAsync(default);
        Assert.Null(source.Current);
        (publisher.Text, publisher.Status) = (_one.KeySet, HttpStatusCode.OK);
        _time.Passed += TimeSpan.FromSeconds(10);
        await source.RenewAsync(default);
        Assert.True(source.Current!.Knows("one-rsa"));
        (publisher.Text, publisher.Status) = ("<html>", status);
        _time.Passed += TimeSpan.FromSeconds(10);
        await source.RenewAsync(default);
        Assert.True(source.Current!.Knows("one-rsa"));
        Assert.Equal(3, publisher.Asked);
    }

    [Fact]
    public async Task Keys_count_whatever_an_answer_says_of_its_encoding()
    {
        using var publisher = new KeyPublisher { Text = _one.KeySet, Kind = "application/json; charset=none" };
        using var source = new JwtKeyAddress(publisher.Address, _time, NullLogger.Instance);
        await source.RenewAsync(default);
        Assert.True(source.Current!.Knows("one-rsa"));
        publisher.Text = "\uFEFF" + _two.KeySet;
        _time.Passed += TimeSpan.FromSeconds(10);
        await source.RenewAsync(default);
        Assert.True(source.Current!.Knows("two-rsa"));
    }

    [Theory]
    [InlineData("null")]
    [InlineData("[]")]
    [InlineData("5")]
    [InlineData("""{"keys":null}""")]
    [InlineData("""{"keys":{}}""")]
    [InlineData("""{"keys":[null]}""")]
    [InlineData("""{"keys":[1,"a",[]]}""")]
    [InlineData("""{"keys":[{"kty":null}]}""")]
    [InlineData("""{"keys":[{"kty":"RSA","n":5,"e":{}}]}""")]
    [InlineData("""{"keys":[{"kty":"RSA","n":"\ud800","e":"AQAB"}]}""")]
    [InlineData("""{"keys":[{"kty":"EC","crv":"P-256","x":"*","y":"*","key_ops":5,"x5c":[null]}]}""")]
    public void What_is_no_key_set_is_refused_as_that(string text) => Assert.Throws<FormatException>(() => JwtKeys.Parse(text));

    [Fact]
    public async Task More_than_a_key_set_can_have_is_not_read()
    {
        using var publisher = new KeyPublisher { Text = _one.KeySet + new string(' ', 1 << 20) };
        using var source = new JwtKeyAddress(publisher.Address, _time, NullLogger.Instance);
        await source.RenewAsync(default);
        Assert.Null(source.Current);
    }

    private sealed class SteppedTime : TimeProvider
    {
        public TimeSpan Passed { get; set; } = TimeSpan.FromHours(1);

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Passed.Ticks;
    }

    private sealed class KeyPublisher : IDisposable
    {
        private readonly HttpListener _listener = new();

        public KeyPublisher()
        {
            Address = new Uri($"http://127.0.0.1:{FreePorts.One()}/keys/");
            _listener.Prefixes.Add(Address.ToString());
            _listener.Start();
            _ = ServeAsync();
        }

        public Uri Address { get; }

        public string Text { get; set; } = "";

        public string? Kind { get; set; }

        public HttpStatusCode Status { get; set; } = HttpStatusCode.OK;

        public int Asked { get; private set; }

        public void Dispose() => _listener.Close();

        private async Task ServeAsync()
        {
            try
            {
                while (true)
                {
                    HttpListenerContext context = await _listener.GetContextAsync();
                    Asked++;
                    context.Response.StatusCode = (int)Status;
                    context.Response.RedirectLocation = Status == HttpStatusCode.Redirect ? Address.ToString() : null;
                    context.Response.ContentType = Kind;
                    byte[] bytes = Encoding.UTF8.GetBytes(Text);
                    await context.Response.OutputStream.WriteAsync(bytes);
                    context.Response.Close();
                }
            }
            catch (Exception error) when (error is HttpListenerException or ObjectDisposedException)
            {
                // Closed.
            }
        }
    }
}
