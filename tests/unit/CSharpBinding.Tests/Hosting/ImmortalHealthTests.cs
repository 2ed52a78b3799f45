using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Hosting;
using Ambrosia.Protocol;
using Ambrosia.Telemetry;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Ambrosia.CSharpBinding.Tests.Hosting;

/// <summary>What a health check says of an immortal, phase by phase.</summary>
public sealed class ImmortalHealthTests
{
    private readonly HostedImmortals _hosted = new();

    [Fact]
    public async Task A_first_start_is_degraded_until_the_immortal_acts()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter());
        await coordinator.AttachAsync(BindingMode.FirstStart);
        await UntilPhaseAsync(coordinator, ServingPhase.Recovering);
        await coordinator.SendAsync(TestMessage.Frame(BindingMessageType.TakeBecomingPrimaryCheckpoint, []));
        await coordinator.BecomePrimaryAsync();
        await UntilPhaseAsync(coordinator, ServingPhase.Serving);
        Assert.Equal(1UL, coordinator.Host!.Monitor.Now.Epoch);
    }

    [Fact]
    public async Task A_replica_says_that_it_follows_and_serves_once_it_is_primary()
    {
        await using var coordinator = new ScriptedCoordinator(static () => new Counter());
        await coordinator.StartFirstAsync();
        await coordinator.KillAsync();

        await coordinator.AttachAsync(BindingMode.Secondary);
        await coordinator.SendCheckpointAsync(coordinator.Checkpoints[^1].Bytes);
        await UntilPhaseAsync(coordinator, ServingPhase.Replica);
        await coordinator.BecomePrimaryAsync();
        await UntilPhaseAsync(coordinator, ServingPhase.Serving);
    }

    [Theory]
    [InlineData(nameof(ServingPhase.Starting), HealthStatus.Degraded, "orders waits for its coordinator.")]
    [InlineData(nameof(ServingPhase.Recovering), HealthStatus.Degraded, "orders recovers: it executes its log again.")]
    [InlineData(nameof(ServingPhase.Replica), HealthStatus.Degraded, "orders follows as a replica; another process serves.")]
    [InlineData(nameof(ServingPhase.Serving), HealthStatus.Healthy, "orders serves.")]
    [InlineData(nameof(ServingPhase.Unreachable), HealthStatus.Unhealthy, "orders has no coordinator and tries again: it was killed")]
    [InlineData(nameof(ServingPhase.Ended), HealthStatus.Unhealthy, "orders has ended (IC-4001): no such token")]
    [InlineData(nameof(ServingPhase.Elsewhere), HealthStatus.Healthy,
        "orders is not run by this process, which was started for another immortal.")]
    public async Task Each_phase_has_a_status_and_a_sentence(string phase, HealthStatus status, string text)
    {
        Enter(_hosted.Add("orders"), Enum.Parse<ServingPhase>(phase));
        HealthCheckResult result = await CheckAsync("orders");
        Assert.Equal((status, text), (result.Status, result.Description));
        Assert.Equal(("orders", phase), (result.Data["instance"], result.Data["phase"]));
        Assert.Equal(phase == nameof(ServingPhase.Ended) ? "IC-4001" : null, result.Data.GetValueOrDefault("code"));
    }

    [Fact]
    public async Task A_failure_is_reported_as_the_status_that_the_host_chose()
    {
        _hosted.Add("orders").Lost("it was killed");
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync("orders", HealthStatus.Degraded)).Status);
    }

    [Fact]
    public async Task A_name_that_the_host_does_not_add_is_unhealthy_and_the_right_ones_are_named()
    {
        Assert.Contains("adds no immortal, so there is no 'order'", (await CheckAsync("order")).Description, StringComparison.Ordinal);
        _hosted.Add("orders");
        _hosted.Add("stock");
        HealthCheckResult result = await CheckAsync("order");
        Assert.Equal(HealthStatus.Unhealthy, result.Status);
        Assert.Equal("This host adds no immortal 'order' to check; it adds orders, stock.", result.Description);
    }

    private static void Enter(ServingMonitor monitor, ServingPhase phase)
    {
        switch (phase)
        {
            case ServingPhase.Recovering or ServingPhase.Replica: monitor.Attached(phase == ServingPhase.Replica, 7); break;
            case ServingPhase.Serving: monitor.Serves(); break;
            case ServingPhase.Unreachable: monitor.Lost("it was killed"); break;
            case ServingPhase.Ended: monitor.Ended("no such token", "IC-4001"); break;
            case ServingPhase.Elsewhere: monitor.StaysOut(); break;
        }
    }

    // The coordinator's side is told nothing when the app enters a phase.
    private static async Task UntilPhaseAsync(ScriptedCoordinator coordinator, ServingPhase phase)
    {
        using var patience = new CancellationTokenSource(Patience.Time);
        while (coordinator.Host!.Monitor.Now.Phase != phase)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), patience.Token);
        }
    }

    // As a host does it: the check that AddImmortal registers, made from the host's services.
    private Task<HealthCheckResult> CheckAsync(string name, HealthStatus? failure = null)
    {
        var builder = new Builder();
        builder.AddImmortal(name, failureStatus: failure);
        HealthCheckRegistration registration = Assert.Single(builder.Registrations);
        return registration.Factory(new Provider(_hosted)).CheckHealthAsync(new HealthCheckContext { Registration = registration });
    }

    private sealed class Builder : IHealthChecksBuilder
    {
        public List<HealthCheckRegistration> Registrations { get; } = [];

        public IServiceCollection Services { get; } = new ServiceCollection();

        public IHealthChecksBuilder Add(HealthCheckRegistration registration)
        {
            Registrations.Add(registration);
            return this;
        }
    }

    private sealed class Provider(HostedImmortals hosted) : IServiceProvider
    {
        public object? GetService(Type serviceType) => serviceType == typeof(HostedImmortals) ? hosted : null;
    }
}
