namespace Ambrosia.CoordinatorHost.Gateway;

/// <summary>The way to instances.</summary>
internal interface IInstanceLink
{
    /// <summary>Sends a call once.</summary>
    /// <param name="call">The call.</param>
    /// <param name="route">Where to.</param>
    /// <param name="wait">How long the instance waits for the call's answer.</param>
    /// <param name="gone">The caller waits no more.</param>
    /// <exception cref="OperationCanceledException">The caller waits no more.</exception>
    Task<TryResult> TryAsync(ForwardedCall call, Route route, TimeSpan wait, CancellationToken gone);
}
