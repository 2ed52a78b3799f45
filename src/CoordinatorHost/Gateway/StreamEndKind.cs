namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>How a stream of calls to an instance ends.</summary>
internal enum StreamEndKind
{
    /// <summary>In good order: what it has not answered it has not read.</summary>
    Over,

    /// <summary>The instance, or the way to it, does not serve.</summary>
    NotServed,

    /// <summary>The instance is an earlier one, which has none: no call of it was read.</summary>
    NoStreams,

    /// <summary>The instance has no room for another one of this caller: no call of it was read.</summary>
    NoRoom,

    /// <summary>It failed otherwise: calls go better alone for a while.</summary>
    Failed,
}
