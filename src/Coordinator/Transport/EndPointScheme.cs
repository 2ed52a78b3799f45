namespace Ambrosia.Coordinator.Transport;

/// <summary>Kind of address.</summary>
public enum EndPointScheme
{
    /// <summary><c>tcp:host:port</c></summary>
    Tcp,

    /// <summary><c>unix:/path</c></summary>
    Unix,

    /// <summary><c>pipe:name</c>, inside one process.</summary>
    Pipe,
}
