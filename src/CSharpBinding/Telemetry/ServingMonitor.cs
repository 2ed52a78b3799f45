namespace Ambrosia.Telemetry;

/// <summary>Holds what one immortal of this process does. The immortal's threads write it; any thread may read it.</summary>
internal sealed class ServingMonitor
{
    private ServingStatus _now = new(ServingPhase.Starting);

    /// <summary>The present status.</summary>
    public ServingStatus Now => Volatile.Read(ref _now);

    /// <summary>True while a coordinator has welcomed the app, until that one is gone.</summary>
    public bool IsWelcomed => Now.Phase is not (ServingPhase.Starting or ServingPhase.Unreachable);

    /// <summary>The coordinator has welcomed the app.</summary>
    public void Attached(bool asReplica, ulong epoch) =>
        Set(new ServingStatus(asReplica ? ServingPhase.Replica : ServingPhase.Recovering, Epoch: epoch));

    /// <summary>The app acts from here on.</summary>
    public void Serves() => Set(new ServingStatus(ServingPhase.Serving, Epoch: _now.Epoch));

    /// <summary>No coordinator accepts the app, or the one that did is gone.</summary>
    public void Lost(string reason) => Set(new ServingStatus(ServingPhase.Unreachable, reason, Epoch: _now.Epoch));

    /// <summary>The connection is there, and nobody answers on it.</summary>
    public void LoseUnlessWelcomed(string reason)
    {
        ServingStatus seen = Now;
        if (seen.Phase is ServingPhase.Starting or ServingPhase.Unreachable)
        {
            // Not if the coordinator welcomes the app in this moment.
            Interlocked.CompareExchange(ref _now, new ServingStatus(ServingPhase.Unreachable, reason, Epoch: seen.Epoch), seen);
        }
    }

    /// <summary>The immortal has ended and is not started again in this process.</summary>
    public void Ended(string reason, string code) => Set(new ServingStatus(ServingPhase.Ended, reason, code, _now.Epoch));

    /// <summary>This process was started for another immortal.</summary>
    public void StaysOut() => Set(new ServingStatus(ServingPhase.Elsewhere));

    private void Set(ServingStatus now) => Volatile.Write(ref _now, now);
}
