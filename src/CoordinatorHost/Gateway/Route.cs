namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>Where an instance takes calls now, as one look-up found it. Two look-ups are two routes, even if they say the same.</summary>
internal sealed class Route(Uri address, string instanceId)
{
    /// <summary>What its URLs begin with; it ends with no slash.</summary>
    public string Address { get; } = address.AbsoluteUri.TrimEnd('/');

    /// <summary>Id of the instance, in 32 hexadecimal digits.</summary>
    public string InstanceId => instanceId;

    /// <summary>Whether it is of an earlier look-up, since the catalog cannot be asked now: it may hold no more.</summary>
    public bool IsRemembered { get; init; }
}
