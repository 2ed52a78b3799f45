using System.Diagnostics;
using Ambrosia.LogStore.Storage;

namespace Ambrosia.Coordinator.Context;

/// <summary>
/// The lease that gives the right to append, once it has come, and what is done until then: waits that end with it. Single-threaded by
/// the core's context.
/// </summary>
/// <param name="time">The clock.</param>
internal sealed class AppendLease(TimeProvider time) : IDisposable
{
    private readonly CancellationTokenSource _came = new();
    private ILogLease? _lease;

    /// <summary>Whether this process may append.</summary>
    public bool IsHeld => _lease is not null;

    /// <summary>The lease, which is held.</summary>
    public ILogLease Held => _lease ?? throw new UnreachableException("the log is written without the right to append");

    /// <summary>Cancelled when the lease has come, or is waited for no more.</summary>
    public CancellationToken Came => _came.Token;

    /// <summary>The lease has come.</summary>
    public void Take(ILogLease lease)
    {
        _lease = lease;
        StopWaiting();
    }

    /// <summary>Ends all waits for it.</summary>
    public void StopWaiting() => FirstOf.Cancel(_came);

    /// <summary>Waits so long, or until the lease comes or everything stops.</summary>
    public async ValueTask PauseAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause, time, _came.Token);
        }
        catch (OperationCanceledException)
        {
            // That is what ends the waiting.
        }
    }

    /// <summary>Waits so long, but not at all once the lease has come.</summary>
    public ValueTask RestAsync(TimeSpan rest) => _came.IsCancellationRequested ? default : PauseAsync(rest);

    /// <summary>Gives the lease back, if it is held.</summary>
    public ValueTask GiveBackAsync() => _lease?.DisposeAsync() ?? default;

    /// <inheritdoc/>
    public void Dispose() => _came.Dispose();
}
