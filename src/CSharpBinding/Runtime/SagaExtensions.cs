using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>Takes down calls that compensate.</summary>
public static class SagaExtensions
{
    /// <summary>
    /// Takes down the call that undoes what has just succeeded, as in <c>saga.Undo(stock).ReleaseFork(id)</c>. It is sent, and its reply
    /// awaited, when the saga compensates.
    /// </summary>
    /// <param name="saga">The saga.</param>
    /// <param name="proxy">The immortal to call.</param>
    /// <param name="label">What the compensation is called in status and errors, such as <c>release stock</c>.</param>
    /// <returns>What takes the one call that is to run: a fork.</returns>
    /// <exception cref="InvalidOperationException">Not called from a handler.</exception>
    public static T Undo<T>(this DurableSaga saga, T proxy, string label = "")
        where T : ImmortalProxy, new()
    {
        ArgumentNullException.ThrowIfNull(saga);
        ArgumentNullException.ThrowIfNull(proxy);
        proxy.InTurn();
        return proxy.Recording<T>(saga.RecorderFor(proxy.Destination, label));
    }
}
