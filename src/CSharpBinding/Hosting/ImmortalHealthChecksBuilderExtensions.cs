using Ambrosia.Hosting;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds health checks of immortals to a host.</summary>
public static class ImmortalHealthChecksBuilderExtensions
{
    /// <summary>
    /// Checks one immortal of this host. Healthy: it is attached and serves. Degraded: it starts, recovers or follows as a replica.
    /// Unhealthy: it has ended, or no coordinator can be reached; the description says why, and the data hold <c>instance</c>,
    /// <c>phase</c>, <c>epoch</c> and, after a failure, <c>code</c>. The check reads memory only.
    /// </summary>
    /// <param name="builder">The host's health checks.</param>
    /// <param name="instanceName">The name that <c>AddImmortal</c> was given on the services.</param>
    /// <param name="checkName">Name of the check; null for the instance's name.</param>
    /// <param name="failureStatus">What is reported in place of unhealthy; null for unhealthy.</param>
    /// <param name="tags">Tags by which an endpoint selects checks; null for none.</param>
    public static IHealthChecksBuilder AddImmortal(
        this IHealthChecksBuilder builder, string instanceName, string? checkName = null, HealthStatus? failureStatus = null,
        IEnumerable<string>? tags = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentException.ThrowIfNullOrEmpty(instanceName);
        return builder.Add(new HealthCheckRegistration(
            checkName ?? instanceName, provider => new ImmortalHealthCheck(instanceName, provider.GetService<HostedImmortals>()),
            failureStatus, tags));
    }
}
