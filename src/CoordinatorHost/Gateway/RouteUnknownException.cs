namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>Nobody can say now where an instance is.</summary>
internal sealed class RouteUnknownException(string message, Exception inner) : IOException(message, inner);
