using Ambrosia;
using Ambrosia.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds immortals to a host.</summary>
public static class ImmortalServiceCollectionExtensions
{
    /// <summary>
    /// Runs an immortal in this host; may be called several times with different names. Options come from the host's configuration, section
    /// <c>Ambrosia</c>, or <c>Ambrosia:name</c> for one of several.
    /// </summary>
    /// <param name="services">The host's services.</param>
    /// <param name="instanceName">Name of the instance; null for the class name in lower case.</param>
    /// <param name="configure">Sets defaults in code; configuration overrides them.</param>
    public static IServiceCollection AddImmortal<T>(this IServiceCollection services, string? instanceName = null, Action<ImmortalOptions>? configure = null)
        where T : Immortal, new()
    {
        ArgumentNullException.ThrowIfNull(services);
        return services.AddSingleton<IHostedService>(provider =>
        {
            var options = new ImmortalOptions { InstanceName = instanceName ?? Immortal.DefaultName(typeof(T)) };
            configure?.Invoke(options);
            string name = options.InstanceName;
            if (provider.GetService<IConfiguration>() is { } configuration)
            {
                Read(configuration.GetSection("Ambrosia"), options);
                Read(configuration.GetSection($"Ambrosia:{name}"), options);
            }

            ReadEnvironment(options);
            options.InstanceName = instanceName ?? options.InstanceName;
            return new ImmortalService(
                options.InstanceName,
                static () => new T(),
                options,
                provider.GetRequiredService<ILoggerFactory>(),
                provider.GetRequiredService<IHostApplicationLifetime>(),
                provider,
                provider.GetService<TimeProvider>() ?? TimeProvider.System);
        });
    }

    private static void Read(IConfigurationSection section, ImmortalOptions options)
    {
        foreach (OptionDefinition option in OptionDefinition.All)
        {
            if (section[option.Key] is { Length: > 0 } value)
            {
                option.Apply(options, value, $"{section.Path}:{option.Key}");
            }
        }
    }

    private static void ReadEnvironment(ImmortalOptions options)
    {
        foreach (OptionDefinition option in OptionDefinition.All)
        {
            if (Environment.GetEnvironmentVariable(option.Variable) is { Length: > 0 } value)
            {
                option.Apply(options, value, option.Variable);
            }
        }
    }
}
