using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Stores;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Serving;

/// <summary>The seams of the core: a simulator replaces all of them.</summary>
public sealed record CoreEnvironment
{
    /// <summary>Files, loops, clock, randomness and fatal end of the log.</summary>
    public required LogStoreEnvironment Log { get; init; }

    /// <summary>Token that a version 2 app must show; "" asks for none.</summary>
    public string Token { get; init; } = "";

    /// <summary>Connections.</summary>
    public required ITransport Transport { get; init; }

    /// <summary>Connections with other coordinators, if they are made in another way; null: they are not.</summary>
    public ITransport? PeerTransport { get; init; }

    /// <summary>Which instance lives where.</summary>
    public required ICatalog Catalog { get; init; }

    /// <summary>Clock of heartbeats, back-off and deadlines.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>
    /// Ends the process that is described as <c>pid 123 started 456789</c> if it still is that one, for a lock that a stopped process
    /// keeps; false if there is none to be seen. Default: nobody is ended.
    /// </summary>
    public Func<string, bool> EndProcess { get; init; } = static _ => false;

    /// <summary>Names the process that is described as <c>pid 123 started 456789</c> to people. Default: by its number.</summary>
    public Func<string, string> DescribeProcess { get; init; } = static holder =>
        holder.Split(' ') is ["pid", var id, ..] ? $"process {id}" : holder;

    /// <summary>Random numbers in [0,1) for jitter. Not for anything that must be unpredictable.</summary>
    public required Func<double> Random { get; init; }

    /// <summary>Receives events 1000 to 1999.</summary>
    public required ILogger Logger { get; init; }

    /// <summary>Where the host of the core lets it be asked, for a line that tells people. Default: nowhere.</summary>
    public Func<EndPointName?> AdminAddress { get; init; } = static () => null;

    /// <summary>
    /// What comes before <c>/v1/awakeables/ID</c> where others complete awakeables; empty: nothing. Logged when it changes; an awakeable
    /// keeps the one under which it was made. Asked for once there is a log. Default: null, there are no awakeables.
    /// </summary>
    public Func<string?> AwakeableAddress { get; init; } = static () => null;

    /// <summary>
    /// Where a gateway reaches this process with calls from outside, by the address at which other coordinators reach it; empty: nowhere.
    /// The catalog is told it. Default: empty.
    /// </summary>
    public Func<EndPointName, string> IngressAddress { get; init; } = static _ => "";

    /// <summary>Sees messages on their way; null: nobody does.</summary>
    public IMessageTracer? Tracer { get; init; }

    /// <summary>How much the core holds, and puts into one record.</summary>
    public CoreLimits Limits { get; init; } = CoreLimits.Product;

    internal ITransport Peers => PeerTransport ?? Transport;
}
