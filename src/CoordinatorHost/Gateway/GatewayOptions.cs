using Ambrosia.Coordinator.Transport;
using Ambrosia.CoordinatorHost.Options;

namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>What a gateway is told.</summary>
public sealed record GatewayOptions
{
    /// <summary>Where it listens: an IP address and a port.</summary>
    public required EndPointName Listen { get; init; }

    /// <summary>File with the names and tokens' hashes of the clients that may call. Default: none, which is for loopback alone.</summary>
    public string Tokens { get; init; } = "";

    /// <summary>Callers whose tokens somebody else issues. Default: none.</summary>
    public JwtOptions Jwt { get; init; } = JwtOptions.None;

    /// <summary>Whether callers show tokens.</summary>
    public bool HasTokens => Tokens.Length > 0 || Jwt.IsOn;

    /// <summary>Pages of which other origins may call. Default: none.</summary>
    public IngressOrigins Origins { get; init; } = IngressOrigins.None;

    /// <summary>File with the token that the gateway shows to instances; made if missing. Default: none.</summary>
    public string OwnTokenFile { get; init; } = "";

    /// <summary>PEM file with the certificate that callers see. Default: none.</summary>
    public string CertFile { get; init; } = "";

    /// <summary>PEM file with the key of <see cref="CertFile"/>. Default: none.</summary>
    public string KeyFile { get; init; } = "";

    /// <summary>PEM file with authorities that have signed certificates of instances. Default: those of the system.</summary>
    public string InstanceCaFile { get; init; } = "";

    /// <summary>
    /// Address with <c>{instance}</c> for instances of which the catalog says none, such as <c>http://immortal-{instance}:8080</c>.
    /// Default: none.
    /// </summary>
    public string InstanceUrl { get; init; } = "";

    /// <summary>Whether awakeables are completed here, without a token. Default false.</summary>
    public bool ServesAwakeables { get; init; }

    /// <summary>Where health and metrics are served. Default: nowhere.</summary>
    public EndPointName? Health { get; init; }

    /// <summary>Bytes of the largest body. Default 1 MiB.</summary>
    public int MaxBody { get; init; } = 1 << 20;

    /// <summary>Requests that are being answered at once. Default 2,048.</summary>
    public int MaxRequests { get; init; } = 2048;

    /// <summary>The same of one caller. Default 1,024.</summary>
    public int MaxRequestsOfOne { get; init; } = 1024;

    /// <summary>Requests of one caller in a second; 0 for no limit. Default 0.</summary>
    public double Rate { get; init; }

    /// <summary>How long a stop waits for what is being answered. Default 20 s.</summary>
    public TimeSpan StopTime { get; init; } = TimeSpan.FromSeconds(20);
}
