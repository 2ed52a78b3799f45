using Ambrosia.CoordinatorHost.Ingress;
using Ambrosia.ImmortalCoordinator.Tests.Ingress;
using Ambrosia.Tests.Common;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.Client.Tests;

/// <summary>A generated client, and an address with a certificate of an authority that no system knows.</summary>
public sealed class ClientTlsTests : IAsyncLifetime, IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-client").FullName;
    private readonly Authority _authority;
    private IngressUnderTest _ingress = null!;

    public ClientTlsTests() => _authority = new Authority(_folder, "ca");

    public async Task InitializeAsync()
    {
        (string certificate, string key) = _authority.Sign("shop", []);
        _ingress = await IngressUnderTest.StartAsync(
            certificate: await IngressCertificate.LoadAsync(certificate, key, TimeProvider.System, NullLogger.Instance));
        _ingress.Told.Tell(ShopShapes.Text);
    }

    public async Task DisposeAsync() => await _ingress.DisposeAsync();

    public void Dispose()
    {
        _authority.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task An_authority_of_ones_own_is_trusted_if_its_file_is_named()
    {
        using AmbrosiaClient client = Connect(_authority.File, _ingress.Address.ToString());
        await client.Get<ShopClient>("shop").CloseSend().WaitAsync(Patience.Time);
        Assert.Single(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task The_file_is_needed_only_when_the_client_is_made()
    {
        string file = Path.Combine(_folder, "copy.pem");
        File.Copy(_authority.File, file);
        using AmbrosiaClient client = Connect(file, _ingress.Address.ToString());
        File.Delete(file);
        await client.Get<ShopClient>("shop").CloseSend().WaitAsync(Patience.Time);
    }

    [Fact] // A call is tried without end, which helps nobody whose configuration is wrong.
    public async Task What_nobody_trusts_ends_the_call_with_a_sentence_and_nothing_is_sent()
    {
        using var foreign = new Authority(_folder, "foreign");
        foreach (string? file in (string?[])[null, foreign.File])
        {
            using AmbrosiaClient client = Connect(file, _ingress.Address.ToString());
            CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(
                () => client.Get<ShopClient>("shop").CloseSend().WaitAsync(Patience.Time));
            Assert.StartsWith(
                "IShop.Close: no address shows a certificate that is trusted, or none speaks TLS: ", refused.Message,
                StringComparison.Ordinal);
            Assert.Contains("TrustedCaFile", refused.Message, StringComparison.Ordinal);
            Assert.False(refused.IsFinal);
        }

        using AmbrosiaClient otherName = Connect(_authority.File, $"https://127.0.0.1:{_ingress.Port}");
        await Assert.ThrowsAsync<CallRefusedException>(() => otherName.Get<ShopClient>("shop").CloseSend().WaitAsync(Patience.Time));
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task An_address_without_TLS_of_an_instance_with_it_is_told_so()
    {
        using var http = new HttpClient();
        string plain = $"http://localhost:{_ingress.Port}";
        using HttpResponseMessage answer = await http.PostAsync(new Uri($"{plain}/v1/immortals/shop/Close"), new StringContent("{}"));
        Assert.Equal(400, (int)answer.StatusCode);
        Assert.Contains("begin it with https:", await answer.Content.ReadAsStringAsync(), StringComparison.Ordinal);

        string said = "";
        for (int seconds = 1; seconds <= 32 && !said.Contains("https", StringComparison.Ordinal); seconds *= 2)
        {
            var options = new AmbrosiaClientOptions { Addresses = { plain }, Deadline = TimeSpan.FromSeconds(seconds) };
            using var client = new AmbrosiaClient(options);
            said = (await Assert.ThrowsAsync<CallNotAnsweredException>(() => client.Get<ShopClient>("shop").CloseAsync())).Message;
        }

        Assert.Contains("https", said, StringComparison.Ordinal);
        Assert.Empty(_ingress.Entrance.Admitted);
    }

    [Fact]
    public async Task One_untrusted_address_of_several_is_passed_by()
    {
        using AmbrosiaClient client = Connect(_authority.File, $"https://127.0.0.1:{_ingress.Port}", _ingress.Address.ToString());
        await client.Get<ShopClient>("shop").CloseSend().WaitAsync(Patience.Time);
        Assert.Single(_ingress.Entrance.Admitted);
    }

    [Fact]
    public void A_file_that_cannot_be_used_is_refused_at_once()
    {
        string empty = Path.Combine(_folder, "empty.pem");
        File.WriteAllText(empty, "nothing");
        Assert.Contains("holds no certificate", Assert.Throws<ArgumentException>(() => Connect(empty, "https://localhost")).Message,
            StringComparison.Ordinal);
        string missing = Path.Combine(_folder, "missing.pem");
        Assert.Contains(missing, Assert.Throws<ArgumentException>(() => Connect(missing, "https://localhost")).Message,
            StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => Connect(_folder, "https://localhost"));
    }

    private static AmbrosiaClient Connect(string? authorities, params string[] addresses)
    {
        var options = new AmbrosiaClientOptions { TrustedCaFile = authorities };
        Array.ForEach(addresses, options.Addresses.Add);
        return new AmbrosiaClient(options);
    }
}
