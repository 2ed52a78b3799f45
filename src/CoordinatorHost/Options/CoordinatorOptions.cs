using System.Net;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Tls;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// Everything a coordinator can be told. Each property is the command-line option of the same name (<see cref="InstanceSettings.MaxLag"/>
/// is <c>--max-lag</c>); the
/// table in docs/operate/options.md is generated from the same definitions.
/// </summary>
public sealed class CoordinatorOptions : InstanceSettings
{
    private readonly IngressOffer _offer = new();
    private EndPointName? _admin;
    private (string Url, string Advertise) _ingressReached = ("", "");

    /// <summary>
    /// Where instances find each other: <c>file:/folder</c>, <c>postgres://user@host/database</c>,
    /// <c>aztable://account.table.core.windows.net/table</c> or <c>memory:</c>. Default <c>file:$AMBROSIA_HOME/catalog</c>.
    /// </summary>
    public string Catalog { get; set; } = "";

    /// <summary>
    /// PEM file with this coordinator's certificate, and behind it those that lead to the authority; then connections between
    /// coordinators are TLS 1.3. Read again at every connection. Default: none.
    /// </summary>
    public string PeerCertFile { get; set; } = "";

    /// <summary>PEM file with the key of <see cref="PeerCertFile"/>. Default: none.</summary>
    public string PeerKeyFile { get; set; } = "";

    /// <summary>PEM file with the authorities that peers' certificates come from. Default: none.</summary>
    public string PeerTrustedCaFile { get; set; } = "";

    /// <summary>
    /// The URI by which a certificate names an instance; {cluster} and {instance} stand for the names. Default
    /// <c>spiffe://{cluster}/{instance}</c>.
    /// </summary>
    public string PeerIdentity { get; set; } = Coordinator.Transport.Tls.PeerIdentity.Default;

    /// <summary>Connect with coordinators on other machines without encryption. Default false.</summary>
    public bool AllowPlaintextPeers { get; set; }

    /// <summary>
    /// Number of the group whose members may attach at the Unix socket, beside this process's user and root. Default: none.
    /// </summary>
    public uint? BindingGroup { get; set; }

    /// <summary>
    /// File with the token that the app must show; made with a fresh one (mode 0600) if missing. Default: none for a Unix socket,
    /// <c>$AMBROSIA_HOME/tokens/&lt;instance&gt;</c> for <see cref="InstanceSettings.BindingAddress"/>.
    /// </summary>
    public string BindingTokenFile { get; set; } = "";

    /// <summary>
    /// Where health, status and metrics are served over HTTP: a loopback address or a Unix socket. Default: a socket beside the app's for a
    /// coordinator
    /// that somebody owns (<see cref="OwnerPipe"/>), else off.
    /// </summary>
    public EndPointName? Admin
    {
        get => _admin;
        set => (_admin, AdminIsGiven) = (value, true);
    }

    /// <summary>True if somebody said what <see cref="Admin"/> is to be, off included.</summary>
    internal bool AdminIsGiven { get; private set; }

    /// <summary>Where it says how it can be asked (<see cref="ServingFolder"/>); empty for nowhere.</summary>
    internal string ServingFolder { get; set; } = "";

    /// <summary>The address that nobody has asked for, and that keeps nothing from starting.</summary>
    internal void ImplyAdmin(EndPointName address) => _admin = address;

    /// <summary>Port 0 has become the one that the system chose: from here on that is what is told.</summary>
    internal void AdminListens(EndPointName address) => _admin = address;

    /// <summary>
    /// The address for calls from outside is this, as others know it: from here on that is what is told. Port 0 has become the one that the
    /// system chose.
    /// </summary>
    internal void IngressListens(string address, EndPointName listens) => (IngressUrl, Ingress) = (address, listens);

    /// <summary>
    /// Where a gateway reaches <see cref="Ingress"/>: as given, else by what it listens on. One of all addresses is reached by the host at
    /// which other coordinators reach this process.
    /// </summary>
    internal string AddressOfIngress(EndPointName advertised)
    {
        if (Ingress is not { } listens || IngressAdvertise.Length > 0)
        {
            return Ingress is null ? "" : IngressAdvertise;
        }

        bool isAny = IPAddress.TryParse(listens.Host, out IPAddress? ip) && (ip.Equals(IPAddress.Any) || ip.Equals(IPAddress.IPv6Any));
        string host = !isAny ? listens.Host : advertised.Scheme == EndPointScheme.Tcp ? advertised.Host : "127.0.0.1";
        EndPointName reached = EndPointName.Tcp(host, listens.Port);
        return $"{(IngressCertFile.Length > 0 ? "https" : "http")}://{reached.Authority}";
    }

    /// <summary>What URLs of awakeables begin with; null: there are none.</summary>
    internal string? AddressOfAwakeables() => Ingress is null ? null : IngressUrl;

    /// <summary>
    /// File with the token that requests at the admin address must show; made with a fresh one (mode 0600) if missing.
    /// Default: none for a Unix socket, <c>$AMBROSIA_HOME/admin-tokens/&lt;instance&gt;</c> for a loopback address.
    /// </summary>
    public string AdminTokenFile { get; set; } = "";

    /// <summary>
    /// Where health, readiness and metrics alone are served over HTTP, to other machines as well: an IP address of this one, or 0.0.0.0
    /// for all. Default: off.
    /// </summary>
    public EndPointName? Health { get; set; }

    /// <summary>
    /// Where calls from outside come in over HTTP: a loopback address, or an IP address of this machine together with
    /// <see cref="IngressTokens"/>. Default: off.
    /// </summary>
    public EndPointName? Ingress { get; set; }

    /// <summary>
    /// Address at which others reach <see cref="Ingress"/>, such as <c>https://shop.example/orders</c>. Default: its own; for one of all
    /// addresses of this machine, nothing.
    /// </summary>
    public string IngressUrl { get => _ingressReached.Url; set => _ingressReached.Url = value; }

    /// <summary>
    /// Address at which a gateway reaches <see cref="Ingress"/>, as the catalog says it. Default: what it listens on; for one of all
    /// addresses of this machine, the host at which other coordinators reach this process.
    /// </summary>
    public string IngressAdvertise { get => _ingressReached.Advertise; set => _ingressReached.Advertise = value; }

    /// <summary>File with the names and tokens' hashes of the clients that may call. Default: none, which is for loopback alone.</summary>
    public string IngressTokens { get; set; } = "";

    /// <summary>Whose JSON Web Tokens let clients call, as their claim <c>iss</c> says it. Default: nobody's.</summary>
    public string IngressJwtIssuer { get => IngressJwt.Issuer; set => IngressJwt = IngressJwt with { Issuer = value }; }

    /// <summary>What such a token must be issued for: one of its claim <c>aud</c>. Default: none.</summary>
    public string IngressJwtAudience { get => IngressJwt.Audience; set => IngressJwt = IngressJwt with { Audience = value }; }

    /// <summary>File or https address of the issuer's keys, as a JSON Web Key Set. Default: none.</summary>
    public string IngressJwtKeys { get => IngressJwt.Keys; set => IngressJwt = IngressJwt with { Keys = value }; }

    /// <summary>Claim with the methods that a caller may call. Default: none, so that each may call what is offered.</summary>
    public string IngressJwtMethodsClaim
    {
        get => IngressJwt.MethodsClaim; set => IngressJwt = IngressJwt with { MethodsClaim = value };
    }

    /// <summary>The four of them.</summary>
    internal JwtOptions IngressJwt { get => _offer.Jwt; set => _offer.Jwt = value; }

    /// <summary>Whether callers from outside show tokens.</summary>
    internal bool HasIngressTokens => IngressTokens.Length > 0 || IngressJwt.IsOn;

    /// <summary>PEM file with the certificate that callers see, and the chain behind it: calls are encrypted then. Default: none.</summary>
    public string IngressCertFile { get; set; } = "";

    /// <summary>PEM file with the key of <see cref="IngressCertFile"/>. Default: none.</summary>
    public string IngressKeyFile { get; set; } = "";

    /// <summary>Which methods may be called from outside. Default: those marked <c>[Impulse]</c>.</summary>
    public IngressMethods IngressMethods { get => _offer.Methods; set => _offer.Methods = value; }

    /// <summary>Pages of which other origins may call from outside. Default: none.</summary>
    public IngressOrigins IngressOrigins { get => _offer.Origins; set => _offer.Origins = value; }

    /// <summary>Bytes of the largest body of a call from outside. Default 1 MiB.</summary>
    public int IngressMaxBody { get; set; } = 1 << 20;

    /// <summary>
    /// Keep the log in memory whatever <see cref="InstanceSettings.Store"/> says: nothing survives the process. For measurements and
    /// tests. Default false.
    /// </summary>
    public bool NoLog { get; set; }

    /// <summary>Whether the log ends with the process.</summary>
    internal bool LogEndsWithProcess => NoLog || Store.StartsWith("memory:", StringComparison.Ordinal);

    /// <summary>Standard input is held open by the process that started this one; its end stops the coordinator. Default false.</summary>
    public bool OwnerPipe { get; set; }

    /// <summary>Metrics have the label <c>instance</c> of earlier releases beside <c>ambrosia_instance</c>. Default false.</summary>
    public bool MetricsOldInstanceLabel { get; set; }

    /// <summary>Form of the log lines. Default <see cref="LogFormat.Text"/>.</summary>
    public LogFormat LogFormat { get; set; }

    /// <summary>Least severe log line that is written. Default information.</summary>
    public LogLevel LogLevel { get; set; } = LogLevel.Information;
}
