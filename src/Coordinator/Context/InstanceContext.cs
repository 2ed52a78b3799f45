using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Context;

/// <summary>What every part of one running instance needs.</summary>
/// <param name="Name">Name of the instance.</param>
/// <param name="Time">The clock.</param>
/// <param name="Logger">Receives events.</param>
/// <param name="Loops">The loops that end the instance when they fail.</param>
/// <param name="Stopping">Cancelled when the instance stops.</param>
internal sealed record InstanceContext(string Name, TimeProvider Time, ILogger Logger, CoreLoops Loops, CancellationToken Stopping);
