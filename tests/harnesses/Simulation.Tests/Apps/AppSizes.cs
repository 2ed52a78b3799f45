namespace Ambrosia.Simulation.Tests;

/// <summary>Limits of a binding, in bytes.</summary>
internal sealed record AppSizes(int PageSize, long MaxQueuedBytes);
