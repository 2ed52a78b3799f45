namespace Ambrosia.Client;

/// <summary>What a request says of the host that it has reached.</summary>
internal enum HostState
{
    /// <summary>It may serve.</summary>
    Serves,

    /// <summary>It does not serve, or says nothing.</summary>
    Away,

    /// <summary>Its certificate is not trusted. Nothing was sent.</summary>
    Untrusted,
}
