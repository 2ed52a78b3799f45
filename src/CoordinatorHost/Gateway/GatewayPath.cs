namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>
/// Which instance a path is for, and what it is called there. <c>/v1/immortals/NAME/METHOD</c> says it itself. Anything else of an instance
/// stands after its name: <c>/NAME/v1/calls/KEY</c>, <c>/NAME/openapi.json</c>, <c>/NAME/service.proto</c>.
/// </summary>
/// <param name="Instance">Name of the instance.</param>
/// <param name="Parts">The path there, in parts, each decoded.</param>
internal sealed record GatewayPath(string Instance, IReadOnlyList<string> Parts)
{
    /// <summary>The path there, each part encoded.</summary>
    public string Text => "/" + string.Join('/', Parts.Select(Uri.EscapeDataString));

    /// <summary>Whether it completes an awakeable.</summary>
    public bool IsAwakeable => Parts is ["v1", "awakeables", _] or ["v1", "awakeables", _, _];

    /// <summary>The key of the call that it asks for; null if it asks for none.</summary>
    public string? KeyText => Parts is ["v1", "calls", var key] ? key : null;

    /// <summary>Whether it is the one of a call that goes into the log, if it is posted.</summary>
    public bool IsCall => Parts is ["v1", "immortals", _, _];

    /// <summary>Reads a path; null if it is nobody's.</summary>
    /// <param name="parts">Its parts, each decoded.</param>
    /// <param name="instance">The instance that the query names, for a call that is asked for; empty for none.</param>
    public static GatewayPath? Read(IReadOnlyList<string> parts, string instance) => parts switch
    {
        ["v1", "immortals", var name, _] => new GatewayPath(name, parts),
        ["v1", "calls", _] when instance.Length > 0 => new GatewayPath(instance, parts),
        [var name, "v1", "immortals", var same, _] when same == name => new GatewayPath(name, [.. parts.Skip(1)]),
        [_, "v1", "calls", _] or [_, "v1", "awakeables", _] or [_, "v1", "awakeables", _, "reject"]
            or [_, "openapi.json" or "service.proto"] =>
            new GatewayPath(parts[0], [.. parts.Skip(1)]),
        _ => null,
    };
}
