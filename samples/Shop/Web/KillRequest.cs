namespace Shop.Web;

/// <summary>A process that somebody wants to be killed.</summary>
internal sealed record KillRequest(string Part);
