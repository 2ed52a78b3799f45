namespace Ambrosia.Telemetry;

/// <summary>Holds what one immortal of this process does. The immortal's threads write it; any thread may read it.</summary>
internal sealed class ServingMonitor
{
    private volatile ServingStatus _now = new(ServingPhase.Starting);

    /// <summary>The present status.</summary>
    public ServingStatus Now => _now;

    /// <summary>The coordinator has welcomed the app.</summary>
    public void Attached(bool asReplica, ulong epoch) =>
        _now = new ServingStatus(asReplica ? ServingPhase.Replica : ServingPhase.Recovering, Epoch: epoch);

    /// <summary>The app acts from here on.</summary>
    public void Serves() => _now = new ServingStatus(ServingPhase.Serving, Epoch: _now.Epoch);

    /// <summary>No coordinator accepts the app, or the one that did is gone.</summary>
    public void Lost(string reason) => _now = new ServingStatus(ServingPhase.Unreachable, reason, Epoch: _now.Epoch);

    /// <summary>The immortal has ended and is not started again in this process.</summary>
    public void Ended(string reason, string code) => _now = new ServingStatus(ServingPhase.Ended, reason, code, _now.Epoch);

    /// <summary>This process was started for another immortal.</summary>
    public void StaysOut() => _now = new ServingStatus(ServingPhase.Elsewhere);
}
