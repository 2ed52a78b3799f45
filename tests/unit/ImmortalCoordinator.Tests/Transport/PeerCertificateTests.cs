using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.Coordinator.Transport.Tls;
using Ambrosia.CoordinatorHost;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Microsoft.Extensions.Logging.Abstractions;

namespace Ambrosia.ImmortalCoordinator.Tests.Transport;

/// <summary>Peers that are refused, over real sockets: each gets nothing, is named in the log, and disturbs no other.</summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Security", "CA5359",
    Justification = "Refused peers believe all others: what is tested is whether they are believed.")]
public sealed class PeerCertificateTests : IDisposable
{
    // A client's first words in TLS 1.1, which today's libraries will not even say: record, ClientHello, two ciphers, no extensions.
    private static readonly byte[] s_tls11 =
        [0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2, .. Enumerable.Repeat((byte)7, 32), 0, 0, 2, 0xC0, 0x13, 1, 0];

    private readonly TemporaryFolder _folder = new();
    private readonly TestAuthority _authority;
    private readonly TestAuthority _foreign;
    private readonly LogLines _lines = new();

    public PeerCertificateTests()
    {
        _authority = new TestAuthority(_folder, "authority");
        _foreign = new TestAuthority(_folder, "foreign");
    }

    public static TheoryData<string, string> Refused => new()
    {
        { "wrong authority", "IC-4010" },
        { "expired", "IC-4011" },
        { "not yet valid", "IC-4011" },
        { "no URI", "IC-4012" },
        { "two URIs", "IC-4012" },
        { "another cluster", "IC-4012" },
        { "unreadable policies", "IC-4010" },
    };

    [Fact]
    public async Task Both_sides_know_each_other_by_name()
    {
        var seen = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using IListener listener = await ListenAsync(connection =>
        {
            seen.SetResult(connection.ProvenName);
            return connection.SendAsync("come in");
        });
        await using IConnection connection = await Dialler("shop").ConnectAsync(listener.EndPoint, default);
        Assert.Equal("bank", connection.ProvenName);
        Assert.Equal("shop", await seen.Task.OrFail());
        Assert.Equal("come in", await connection.ReceiveAsync(7));
    }

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task Who_connects_with_a_certificate_that_is_not_good_is_refused(string what, string code)
    {
        await using IListener listener = await ListenAsync(static connection => connection.SendAsync("come in"));
        await RefusedAsync(listener, code, async () =>
        {
            await using Stream stream = await ShakeHandsAsync(listener, Bad(what, TestAuthority.ForClients), SslProtocols.Tls13);
            await stream.WriteAsync(new byte[100]);
            Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().OrFail());
        });
    }

    [Theory]
    [MemberData(nameof(Refused))]
    [InlineData("for clients only", "IC-4014")]
    [InlineData("unreadable purposes", "IC-4010")]
    public async Task Who_listens_with_a_certificate_that_is_not_good_is_refused(string what, string code)
    {
        using var listening = new TcpListener(System.Net.IPAddress.Loopback, 0);
        listening.Start();
        Task answering = AnswerAsync(listening, Bad(what, TestAuthority.ForServers));
        var address = EndPointName.Tcp("127.0.0.1", ((System.Net.IPEndPoint)listening.LocalEndpoint).Port);
        var error = await Assert.ThrowsAnyAsync<IOException>(() => Dialler("shop").ConnectAsync(address, default).AsTask().OrFail());
        Assert.Contains(code, error.Message, StringComparison.Ordinal);
        await answering.OrFail();
    }

    [Fact]
    public async Task Who_connects_with_a_certificate_for_servers_only_is_refused()
    {
        await using IListener listener = await ListenAsync(static connection => connection.SendAsync("come in"));
        await RefusedAsync(listener, "IC-4014", async () =>
        {
            PeerCertificateFiles files = _authority.Sign("shop", ["spiffe://default/shop"], purposes: [TestAuthority.ForServers]);
            await using Stream stream = await ShakeHandsAsync(listener, files, SslProtocols.Tls13);
            Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().OrFail());
        });
    }

    [Fact]
    public async Task Who_connects_without_a_certificate_is_refused()
    {
        await using IListener listener = await ListenAsync(static connection => connection.SendAsync("come in"));
        await RefusedAsync(listener, "IC-4010", async () =>
        {
            await using Stream stream = await ShakeHandsAsync(listener, null, SslProtocols.Tls13);
            Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().OrFail());
        });
    }

    [Fact]
    public async Task Older_versions_of_TLS_are_refused()
    {
        await using IListener listener = await ListenAsync(static connection => connection.SendAsync("come in"));
        await RefusedAsync(listener, "IC-4015", async () =>
        {
            await using Stream stream = await ShakeHandsAsync(listener, _authority.Issue("shop"), SslProtocols.Tls12);
            Assert.Equal(0, await stream.ReadAsync(new byte[1]).AsTask().OrFail());
        });
        await RefusedAsync(listener, "IC-4015", () => SayAsync(listener, s_tls11));
    }

    [Fact]
    public async Task Who_speaks_without_encryption_is_refused()
    {
        await using IListener listener = await ListenAsync(static connection => connection.SendAsync("come in"));
        await RefusedAsync(listener, "IC-4015", () => SayAsync(listener, new byte[64]));
        await RefusedAsync(listener, "IC-4015", () => SayAsync(listener, "GET / HTTP/1.1\r\n\r\n"u8.ToArray()));
    }

    [Fact]
    public async Task Who_says_nothing_is_cut_off()
    {
        var clock = new AlarmClock();
        var certificates = new PeerCertificates(_authority.Issue("bank"), TestAuthority.Identity, "bank", _lines);
        var transport = new SocketTransport(new SocketTransportOptions(), TimeProvider.System, _lines,
            new PeerTls(certificates, TestAuthority.Identity, clock, _lines));
        await using IListener listener =
            await transport.ListenAsync(EndPointName.Tcp("127.0.0.1", 0), static connection => connection.SendAsync("come in"), default);
        await RefusedAsync(listener, "IC-4015", async () =>
        {
            using var silent = new TcpClient();
            await silent.ConnectAsync("127.0.0.1", listener.EndPoint.Port);
            await Within.Until(() =>
            {
                clock.Ring();
                return Said("IC-4015") > 0;
            });
            Assert.Equal(0, await ReadOrBreakAsync(silent.GetStream()));
        });
    }

    [Fact]
    public async Task Nobody_dials_another_machine_without_encryption_unless_told()
    {
        var transport = new LocalOnlyTransport(new SocketTransport(new SocketTransportOptions(), TimeProvider.System, NullLogger.Instance));
        var error = await Assert.ThrowsAsync<ConnectFailedException>(async () =>
            await transport.ConnectAsync(EndPointName.Tcp("192.0.2.1", 9), default));
        Assert.Contains("IC-4018", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Replaced_files_are_used_by_the_next_connection_and_the_present_one_goes_on()
    {
        PeerCertificateFiles own = _authority.Issue("bank");
        await using IListener listener = await TestAuthority.Transport(own, "bank", _lines)
            .ListenAsync(EndPointName.Tcp("127.0.0.1", 0), EchoAsync, default);
        SocketTransport before = Dialler("shop");
        await using IConnection old = await before.ConnectAsync(listener.EndPoint, default);
        await EchoesAsync(old);

        _foreign.Sign("bank", ["spiffe://default/bank"]);
        File.Copy(_foreign.File, own.Authorities, overwrite: true);
        PeerCertificateFiles theirs = _foreign.Issue("teller");
        await using IConnection late = await TestAuthority.Transport(theirs, "teller", _lines).ConnectAsync(listener.EndPoint, default);
        await EchoesAsync(late);
        await EchoesAsync(old);
    }

    [Fact]
    public async Task While_files_do_not_fit_together_the_last_good_ones_are_used_and_it_is_said_once()
    {
        PeerCertificateFiles own = _authority.Issue("bank");
        await using IListener listener = await TestAuthority.Transport(own, "bank", _lines)
            .ListenAsync(EndPointName.Tcp("127.0.0.1", 0), EchoAsync, default);
        SocketTransport dialler = Dialler("shop");
        string key = File.ReadAllText(own.Key);
        foreach (Action spoil in (Action[])[() => File.WriteAllText(own.Key, "no key"), () =>
            File.WriteAllText(own.Key, File.ReadAllText(_folder["shop.key"])), () => File.Delete(own.Key)])
        {
            int said = Said("IC-4019");
            spoil();
            for (int i = 0; i < 2; i++)
            {
                await using IConnection connection = await DialAsync(dialler, listener.EndPoint);
                await EchoesAsync(connection);
            }

            Assert.Equal(said + 1, Said("IC-4019"));
            File.WriteAllText(own.Key, key);
            await using IConnection again = await DialAsync(dialler, listener.EndPoint);
            await EchoesAsync(again);
        }
    }

    [Fact]
    public void Files_that_cannot_be_used_stop_the_start_with_a_sentence()
    {
        PeerCertificateFiles good = _authority.Issue("bank");
        foreach (PeerCertificateFiles bad in (PeerCertificateFiles[])
            [good with { Key = _authority.Issue("shop").Key }, good with { Key = "/nowhere" }, good with
                { Authorities = good.Key }, _authority.Issue("teller")])
        {
            var error = Assert.Throws<CoordinatorException>(() => new PeerCertificates(bad, TestAuthority.Identity, "bank", _lines));
            Assert.Equal(("IC-1014", ExitCode.Configuration), (error.Code, error.ExitCode));
        }
    }

    [Fact]
    public async Task A_start_between_a_new_certificate_and_its_key_waits_for_the_key()
    {
        PeerCertificateFiles files = _authority.Issue("bank");
        string key = File.ReadAllText(files.Key);
        File.WriteAllText(files.Key, File.ReadAllText(_authority.Issue("shop").Key));
        var clock = new AlarmClock();
        Task<ITransport> starting = StartAsync(files, clock);
        Assert.False(starting.IsCompleted);
        File.WriteAllText(files.Key, key);
        await RingUntilAsync(clock, starting);
        await starting;
    }

    [Fact]
    public async Task A_start_with_a_key_that_is_never_the_certificates_is_refused_in_the_end()
    {
        PeerCertificateFiles files = _authority.Issue("bank") with { Key = _authority.Issue("shop").Key };
        var clock = new AlarmClock();
        Task<ITransport> starting = StartAsync(files, clock);
        await RingUntilAsync(clock, starting);
        Assert.Equal("IC-1014", (await Assert.ThrowsAsync<CoordinatorException>(() => starting)).Code);
    }

    private static Task RingUntilAsync(AlarmClock clock, Task ends) => Within.Until(() =>
    {
        clock.Ring();
        return ends.IsCompleted;
    });

    private Task<ITransport> StartAsync(PeerCertificateFiles files, TimeProvider clock) => PeerTransport.MakeAsync(
        new CoordinatorOptions
            { InstanceName = "bank", PeerCertFile = files.Certificate, PeerKeyFile = files.Key, PeerTrustedCaFile = files.Authorities },
        new MemoryNetwork(new MemoryNetworkOptions()).Node("bank"), clock, _lines).AsTask();

    public void Dispose()
    {
        _authority.Dispose();
        _foreign.Dispose();
        _folder.Dispose();
    }

    // A handshake has five seconds, which a busy machine may need for other things; who dials in earnest dials again.
    private static async Task<IConnection> DialAsync(SocketTransport dialler, EndPointName address)
    {
        for (var watch = System.Diagnostics.Stopwatch.StartNew(); ;)
        {
            try
            {
                return await dialler.ConnectAsync(address, default);
            }
            catch (ConnectFailedException error)
                when (error.InnerException is OperationCanceledException && watch.Elapsed < TimeSpan.FromSeconds(60))
            {
            }
        }
    }

    private static async Task EchoAsync(IConnection connection)
    {
        while (await connection.ReceiveAsync(4) is { Length: > 0 } text)
        {
            await connection.SendAsync(text);
        }
    }

    private static async Task EchoesAsync(IConnection connection)
    {
        await connection.SendAsync("ping");
        Assert.Equal("ping", await connection.ReceiveAsync(4));
    }

    private static async Task<int> ReadOrBreakAsync(Stream stream)
    {
        try
        {
            return await stream.ReadAsync(new byte[1]).AsTask().OrFail();
        }
        catch (IOException)
        {
            return 0; // Broken off is refused, too.
        }
    }

    private int Said(string code) => _lines.All.Count(line => line.Contains(code, StringComparison.Ordinal));

    private SocketTransport Dialler(string instance) => TestAuthority.Transport(_authority.Issue(instance), instance, _lines);

    private ValueTask<IListener> ListenAsync(Func<IConnection, Task> serve) =>
        TestAuthority.Transport(_authority.Issue("bank"), "bank", _lines).ListenAsync(EndPointName.Tcp("127.0.0.1", 0), serve, default);

    private PeerCertificateFiles Bad(string what, string purpose) => what switch
    {
        "wrong authority" => _foreign.Issue("bad"),
        "expired" => _authority.Sign("bad", ["spiffe://default/bad"], from: -2, to: -0.01),
        "not yet valid" => _authority.Sign("bad", ["spiffe://default/bad"], from: 0.1),
        "no URI" => _authority.Sign("bad", []),
        "two URIs" => _authority.Sign("bad", ["spiffe://default/bad", "spiffe://default/bank"]),
        "another cluster" => _authority.Sign("bad", ["spiffe://elsewhere/bad"]),
        "for clients only" => _authority.Sign("bad", ["spiffe://default/bad"], purposes: [TestAuthority.ForClients]),
        "unreadable purposes" => Unreadable("2.5.29.37"),
        "unreadable policies" => Unreadable("2.5.29.32"),
        _ => throw new ArgumentOutOfRangeException(nameof(what), what, purpose),
    };

    // A number where a purpose or a policy should be: OpenSSL takes what .NET cannot read.
    private PeerCertificateFiles Unreadable(string extension)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=bad", key, HashAlgorithmName.SHA256);
        request.CertificateExtensions.Add(new X509Extension(extension, [0x30, 3, 2, 1, 5], critical: false));
        using X509Certificate2 certificate =
            request.CreateSelfSigned(DateTimeOffset.UtcNow.AddHours(-1), DateTimeOffset.UtcNow.AddHours(1));
        var files = new PeerCertificateFiles(_folder["unreadable.pem"], _folder["unreadable.key"], _authority.File);
        File.WriteAllText(files.Certificate, certificate.ExportCertificatePem());
        File.WriteAllText(files.Key, key.ExportPkcs8PrivateKeyPem());
        return files;
    }

    // The refused peer got nothing, the log says who and why, and a good peer is served as if nothing had happened.
    private async Task RefusedAsync(IListener listener, string code, Func<Task> attempt)
    {
        int before = Said(code);
        try
        {
            await attempt();
        }
        catch (Exception error) when (error is IOException or AuthenticationException)
        {
            // Broken off, at one moment or another.
        }

        await Within.Until(() => Said(code) > before);
        Assert.Contains(_lines.All, line =>
            line.StartsWith("1103 tcp:127.0.0.1:", StringComparison.Ordinal) && line.Contains(code, StringComparison.Ordinal));
        Assert.False(listener.Completion.IsCompleted);
        await using IConnection good = await Dialler("shop").ConnectAsync(listener.EndPoint, default);
        Assert.Equal("come in", await good.ReceiveAsync(7));
    }

    private static async Task SayAsync(IListener listener, byte[] bytes)
    {
        using var client = new TcpClient();
        await client.ConnectAsync("127.0.0.1", listener.EndPoint.Port);
        await client.GetStream().WriteAsync(bytes);
        byte[] answer = new byte[100];
        int heard = await client.GetStream().ReadAsync(answer).AsTask().OrFail();
        Assert.True(heard == 0 || answer[0] == 0x15, "something else than an alert was sent"); // An alert at most.
    }

    private static async Task<Stream> ShakeHandsAsync(IListener listener, PeerCertificateFiles? files, SslProtocols version)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync("127.0.0.1", listener.EndPoint.Port);
        var stream = new SslStream(new NetworkStream(socket, ownsSocket: true));
        await stream.AuthenticateAsClientAsync(new SslClientAuthenticationOptions
        {
            TargetHost = "",
            EnabledSslProtocols = version,
            ClientCertificateContext = files is null ? null : Context(files),
            RemoteCertificateValidationCallback = static (_, _, _, _) => true,
        });
        return stream;
    }

    private static async Task AnswerAsync(TcpListener listening, PeerCertificateFiles files)
    {
        using Socket socket = await listening.AcceptSocketAsync();
        await using var stream = new SslStream(new NetworkStream(socket));
        try
        {
            await stream.AuthenticateAsServerAsync(new SslServerAuthenticationOptions
            {
                ServerCertificateContext = Context(files),
                ClientCertificateRequired = true,
                RemoteCertificateValidationCallback = static (_, _, _, _) => true,
            });
            Assert.Equal(0, await stream.ReadAsync(new byte[1]));
        }
        catch (Exception error) when (error is IOException or AuthenticationException)
        {
            // Refused, at one moment or another.
        }
    }

    private static SslStreamCertificateContext Context(PeerCertificateFiles files) => SslStreamCertificateContext.Create(
        X509Certificate2.CreateFromPem(File.ReadAllText(files.Certificate), File.ReadAllText(files.Key)), null, offline: true);
}
