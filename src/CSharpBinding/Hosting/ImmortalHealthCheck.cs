using Ambrosia.Telemetry;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ambrosia.Hosting;

/// <summary>
/// Says how one immortal of the host is. It reads what the immortal's own threads noted, so it asks nobody and never waits.
/// </summary>
/// <param name="name">Name of the instance in code.</param>
/// <param name="hosted">The immortals of the host; null if it adds none.</param>
internal sealed class ImmortalHealthCheck(string name, HostedImmortals? hosted) : IHealthCheck
{
    /// <inheritdoc/>
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        HealthStatus failure = context.Registration.FailureStatus;
        return Task.FromResult(hosted?.MonitorOf(name) is { } monitor ? Judge(monitor.Now, failure) : Unknown(failure));
    }

    private HealthCheckResult Judge(ServingStatus now, HealthStatus failure)
    {
        var data = new Dictionary<string, object> { ["instance"] = name, ["phase"] = now.Phase.ToString(), ["epoch"] = now.Epoch };
        if (now.Code.Length > 0)
        {
            data["code"] = now.Code;
        }

        string because = now.Reason.Length > 0 ? $": {now.Reason}" : ".";
        (HealthStatus status, string text) = now.Phase switch
        {
            ServingPhase.Serving => (HealthStatus.Healthy, $"{name} serves."),
            ServingPhase.Elsewhere => (HealthStatus.Healthy, $"{name} is not run by this process, which was started for another immortal."),
            ServingPhase.Starting => (HealthStatus.Degraded, $"{name} waits for its coordinator."),
            ServingPhase.Recovering => (HealthStatus.Degraded, $"{name} recovers: it executes its log again."),
            ServingPhase.Replica => (HealthStatus.Degraded, $"{name} follows as a replica; another process serves."),
            ServingPhase.Unreachable => (failure, $"{name} has no coordinator and tries again{because}"),
            _ => (failure, $"{name} has ended ({now.Code}){because}"),
        };
        return new HealthCheckResult(status, text, data: data);
    }

    private HealthCheckResult Unknown(HealthStatus failure) => new(failure, hosted is null || hosted.Names.Count == 0
        ? $"This host adds no immortal, so there is no '{name}' to check: call AddImmortal on its services."
        : $"This host adds no immortal '{name}' to check; it adds {string.Join(", ", hosted.Names)}.");
}
