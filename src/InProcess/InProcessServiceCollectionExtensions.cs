using Ambrosia.Hosting;
using Ambrosia.InProcess;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Puts coordinators into a host.</summary>
public static class InProcessServiceCollectionExtensions
{
    /// <summary>
    /// The immortals that this host adds with <c>AddImmortal</c> get their coordinators inside this process, instead of one process each.
    /// The host's end, or a kill, ends all of them together; the log makes up for it as always.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <param name="configure">Sets options in code.</param>
    public static IServiceCollection AddInProcessCoordinator(this IServiceCollection services, Action<InProcessOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton<ICoordinatorLauncher>(provider =>
        {
            var options = new InProcessOptions();
            configure?.Invoke(options);
            return new InProcessCoordinator(options, provider.GetService<ILoggerFactory>() ?? NullLoggerFactory.Instance);
        });
    }
}
