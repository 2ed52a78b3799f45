using Ambrosia.Client;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds a client for immortals to an application.</summary>
public static class AmbrosiaClientServiceCollectionExtensions
{
    /// <summary>One <see cref="AmbrosiaClient"/> for the application. Each further time adds to its options, in this order.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets addresses, token and deadline.</param>
    public static IServiceCollection AddAmbrosiaClient(this IServiceCollection services, Action<AmbrosiaClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        return services.AddAmbrosiaClient((_, options) => configure(options));
    }

    /// <summary>The same, with what the application has: its configuration, or what gives it tokens.</summary>
    /// <param name="services">The services.</param>
    /// <param name="configure">Sets addresses, token and deadline, when the client is made.</param>
    public static IServiceCollection AddAmbrosiaClient(
        this IServiceCollection services, Action<IServiceProvider, AmbrosiaClientOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(configure);
        services.AddSingleton(new ClientSetup(configure));
        services.TryAddSingleton(static provider =>
        {
            var options = new AmbrosiaClientOptions();
            foreach (ClientSetup setup in provider.GetServices<ClientSetup>())
            {
                setup.Configure(provider, options);
            }

            options.Logger ??= provider.GetService<ILoggerFactory>()?.CreateLogger("Ambrosia.Client");
            return new AmbrosiaClient(options);
        });
        return services;
    }

    /// <summary>An immortal that constructors may ask for by the type of its client.</summary>
    /// <typeparam name="T">The generated client of its interface.</typeparam>
    /// <param name="services">The services.</param>
    /// <param name="instance">Name of the immortal.</param>
    public static IServiceCollection AddImmortalClient<T>(this IServiceCollection services, string instance)
        where T : ImmortalClient, new() =>
            services.AddSingleton(provider => provider.GetRequiredService<AmbrosiaClient>().Get<T>(instance));
}
