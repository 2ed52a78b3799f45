namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>Limits of the app's stream.</summary>
internal sealed record AppLimits(long MaxMessageBytes, long MaxTurnBytes, int MaxDestinations = 65536);
