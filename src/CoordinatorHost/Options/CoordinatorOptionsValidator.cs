using System.Net;
using System.Text;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.Coordinator.Transport.Tls;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Checks options against each other and against what this build can do. A typing error in a manifest stops the process with a sentence.
/// </summary>
public static class CoordinatorOptionsValidator
{
    private const int LeastPage = 64 * 1024;
    private const long LeastRate = 1 << 20; // A slower one would be beyond the log that is kept when it is done.
    private const int MostPage = 4 * 1024 * 1024;

    /// <summary>Everything that is wrong; nothing when the options can be used.</summary>
    public static IReadOnlyList<OptionError> Validate(CoordinatorOptions options) =>
        [.. Names(options), .. Addresses(options), .. Callers(options), .. Peers(options), .. Sizes(options)];

    private static IEnumerable<OptionError> Names(CoordinatorOptions options)
    {
        if (options.InstanceName.Length == 0)
        {
            yield return new(ProcessErrors.NoInstanceName, "the instance has no name", "--instance-name",
                "give one, as in --instance-name bank");
        }
        else if (!InstanceName.IsValid(options.InstanceName))
        {
            yield return new(ProcessErrors.BadOptionValue, $"'{options.InstanceName}' is not an instance name", "--instance-name",
                "write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit");
        }

        if (!InstanceName.IsValid(options.Cluster))
        {
            yield return new(ProcessErrors.BadOptionValue, $"'{options.Cluster}' is not a cluster's name", "--cluster",
                "write 1 to 63 letters, digits, '.', '_' or '-', beginning with a letter or digit");
        }

        if (options.NoLog && options.Start == StartMode.Recover)
        {
            yield return new(ProcessErrors.OptionsContradict, "without a log there is nothing to recover", "--no-log with --start recover",
                "leave one of them away");
        }

    }

    private static IEnumerable<OptionError> Addresses(CoordinatorOptions options)
    {
        if (options.BindingSocket is
            { Scheme: EndPointScheme.Unix } socket && Encoding.UTF8.GetByteCount(socket.Host) > UnixSocketGuard.MaxPathBytes)
        {
            yield return new(ProcessErrors.SocketPathTooLong, $"the path of the socket has more than {UnixSocketGuard.MaxPathBytes} bytes",
                $"--binding-socket {socket.Host}", "give a shorter one, the same for coordinator and app");
        }

        if (options.BindingAddress is { IsLocal: false } binding)
        {
            yield return NotLocal("--binding-address", binding, "the app runs beside its coordinator: use 127.0.0.1, or a Unix socket");
        }

        if (options.Admin is { IsLocal: false } admin)
        {
            yield return NotLocal("--admin", admin,
                "anybody who reaches it may stop the instance: use 127.0.0.1 or unix:/path, and a proxy of your choice before it");
        }

        if (options.Health is { } health && (health.Scheme != EndPointScheme.Tcp || !IPAddress.TryParse(health.Host, out _)))
        {
            yield return new(ProcessErrors.OptionsContradict, $"{health} is no IP address with a port", "--health",
                "write an address of this machine, or 0.0.0.0 for all of them, as in --health 0.0.0.0:4180");
        }

        if (options.ReceivePort is null != (options.SendPort is null) || (options.ReceivePort is { } port && port == options.SendPort))
        {
            yield return new(ProcessErrors.OptionsContradict, "the published protocol needs two different ports",
                "--receive-port and --send-port", "give both, or neither");
        }

        if (options.LegacyUpgradeTo.Length > 0 && options.SendPort is null)
        {
            yield return new(ProcessErrors.OptionsContradict, "only an app of the published protocol is upgraded by it",
                "--legacy-upgrade-to",
                "give --receive-port and --send-port, too; another app says itself what it wants");
        }

        if (options.Advertise is { Scheme: EndPointScheme.Tcp, Host: "0.0.0.0" or "::" }
            || (options.Advertise is null && options.PeerAddress is { Scheme: EndPointScheme.Tcp, Host: "0.0.0.0" or "::" }))
        {
            yield return new(ProcessErrors.AddressOutOfPlace, "nobody can connect to the address that stands for all addresses",
                "--advertise", "give the name or address by which others reach this host");
        }
    }

    private static IEnumerable<OptionError> Callers(CoordinatorOptions options)
    {
        if (options.Ingress is { } ingress && (ingress.Scheme != EndPointScheme.Tcp || !IPAddress.TryParse(ingress.Host, out _)))
        {
            yield return new(
                ProcessErrors.OptionsContradict, $"{ingress} is no IP address with a port", "--ingress",
                "write an address of this machine, or 0.0.0.0 for all of them, as in --ingress 127.0.0.1:8080");
        }
        else if (options.Ingress is { IsLocal: false } reachable && !options.HasIngressTokens)
        {
            yield return NotLocal(
                "--ingress", reachable,
                "give --ingress-tokens or --ingress-jwt-issuer, so that only those who have a token may call; or use 127.0.0.1");
        }

        if (options.IngressOrigins.IsAll && !options.HasIngressTokens)
        {
            yield return new(
                ProcessErrors.OptionsContradict, "without tokens, web pages of all origins could call", "--ingress-origins",
                "list the origins of your own pages, as https://shop.example, or give --ingress-tokens or --ingress-jwt-issuer");
        }

        if (JwtRules.Mistake(options.IngressJwt, "--ingress-jwt") is { } mistake)
        {
            yield return new(ProcessErrors.OptionsContradict, mistake.Reason, mistake.Option, mistake.Advice);
        }

        string[] certificate = [options.IngressCertFile, options.IngressKeyFile];
        if (certificate.Any(static file => file.Length > 0)
            && (options.Ingress is null || certificate.Any(static file => file.Length == 0)))
        {
            yield return new(
                ProcessErrors.OptionsContradict, "a certificate for callers, its key and their address go together",
                "--ingress-cert-file, --ingress-key-file",
                "give both files and --ingress, or no file");
        }
    }

    private static IEnumerable<OptionError> Peers(CoordinatorOptions options)
    {
        string[] files = [options.PeerCertFile, options.PeerKeyFile, options.PeerTrustedCaFile];
        if (files.Any(static file => file.Length > 0) && files.Any(static file => file.Length == 0))
        {
            yield return new(ProcessErrors.OptionsContradict, "a certificate, its key and the authorities go together",
                "--peer-cert-file, --peer-key-file, --peer-trusted-ca-file", "give all three, or none");
        }

        if (!PeerIdentity.TryParse(options.PeerIdentity, options.Cluster, out _))
        {
            yield return new(ProcessErrors.BadOptionValue, $"'{options.PeerIdentity}' is not a URI that names an instance",
                "--peer-identity", "write one with {instance} in it, such as spiffe://bank.example/{instance}");
        }

        if (files[0].Length == 0 && !options.AllowPlaintextPeers && new[] { options.PeerAddress,
            options.Advertise }.FirstOrDefault(static address => address is { IsLocal: false }) is { } reachable)
        {
            yield return new(
                ProcessErrors.PlaintextReachable, "other machines would connect here, and nothing would be encrypted",
                $"--peer-address or --advertise {reachable}",
                "give --peer-cert-file, --peer-key-file and --peer-trusted-ca-file; or --allow-plaintext-peers on a network "
                + "that you trust");
        }
    }

    private static IEnumerable<OptionError> Sizes(CoordinatorOptions options)
    {
        if (options.PageSize is < LeastPage or > MostPage || options.PageSize % 4096 != 0)
        {
            yield return Range("--page-size", options.PageSize, "from 64KiB to 4MiB, in steps of 4KiB");
        }

        if (options.SegmentSize < 4L * options.PageSize || options.SegmentSize > 1L << 40)
        {
            yield return Range("--segment-size", options.SegmentSize, "from four pages to 1TiB");
        }

        if (options.CheckpointEvery < options.PageSize)
        {
            yield return Range("--checkpoint-every", options.CheckpointEvery, "at least one page");
        }

        if (options.CheckpointRate is not 0 and < LeastRate)
        {
            yield return Range("--checkpoint-rate", options.CheckpointRate, "at least 1MiB (for each second)");
        }

        if (options.MaxMessageSize < 4096 || options.MaxMessageSize > 1 << 30)
        {
            yield return Range("--max-message-size", options.MaxMessageSize, "from 4KiB to 1GiB");
        }

        if (options.MaxTurnBytes < options.MaxMessageSize)
        {
            yield return Range("--max-turn-bytes", options.MaxTurnBytes, "at least one message of --max-message-size");
        }

        if (options.MaxBuffered < 2L * options.PageSize)
        {
            yield return Range("--max-buffered", options.MaxBuffered, "at least two pages");
        }

        if (options.MaxLag < options.SegmentSize)
        {
            yield return Range("--max-lag", options.MaxLag, "at least one segment");
        }

        if (options.LeaseDuration < TimeSpan.FromSeconds(2) || options.LeaseDuration > TimeSpan.FromSeconds(60))
        {
            yield return new(ProcessErrors.OptionsContradict, $"{Duration.Format(options.LeaseDuration)} is out of range",
                "--lease-duration", "allowed is from 2s to 60s");
        }

        if (options.MaxSpill < options.MaxBuffered)
        {
            yield return Range("--max-spill", options.MaxSpill, "at least as much as --max-buffered");
        }
    }

    private static OptionError NotLocal(string option, EndPointName endPoint, string advice) =>
        new(ProcessErrors.AddressOutOfPlace, "this address must not be reachable from other machines", $"{option} {endPoint}", advice);

    private static OptionError Range(string option, long bytes, string allowed) =>
        new(ProcessErrors.OptionsContradict, $"{ByteSize.Format(bytes)} is out of range", option, $"allowed is {allowed}");
}
