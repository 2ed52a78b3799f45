namespace Ambrosia.Bench.Relay.Rings;

/// <summary>What lies between an app and its coordinator in a relay whose threads wait for their own sockets.</summary>
internal enum AppHopKind
{
    /// <summary>A Unix socket, as in the ordinary relay.</summary>
    Sockets,

    /// <summary>A ring each way; the coordinator sends out of it, logs out of it and receives into it.</summary>
    Rings,

    /// <summary>A ring each way; the coordinator copies each byte between it and memory of its own, as it must if it is to trust what it
    /// has checked.</summary>
    CopiedRings,
}
