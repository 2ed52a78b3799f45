namespace Ambrosia.Telemetry;

/// <summary>What an immortal of this process does, and why.</summary>
/// <param name="Phase">What it does.</param>
/// <param name="Reason">Why, where the phase alone does not say it; else "".</param>
/// <param name="Code">The code of the failure: that of the coordinator (IC-nnnn), or the name of the exit code; "" for none.</param>
/// <param name="Epoch">Number of the leadership in which it was attached last; 0 before.</param>
internal sealed record ServingStatus(ServingPhase Phase, string Reason = "", string Code = "", ulong Epoch = 0);
