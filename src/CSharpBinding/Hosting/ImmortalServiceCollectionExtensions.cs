using System.Diagnostics.CodeAnalysis;
using Ambrosia;
using Ambrosia.Hosting;
using Ambrosia.Telemetry;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Adds immortals to a host.</summary>
public static class ImmortalServiceCollectionExtensions
{
    /// <summary>
    /// Runs an immortal in this host; may be called several times with different names. Options come from the host's configuration, section
    /// <c>Ambrosia</c>, or <c>Ambrosia:name</c> for one of several. A class without a public parameterless constructor is made with
    /// services
    /// of the host, for use outside of turns: they must lie in <c>[NotSaved]</c> fields.
    /// </summary>
    /// <typeparam name="T">The immortal's class.</typeparam>
    /// <param name="services">The host's services.</param>
    /// <param name="instanceName">Name of the instance; null for the class name in lower case.</param>
    /// <param name="configure">Sets defaults in code; configuration overrides them.</param>
    public static IServiceCollection AddImmortal<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(
        this IServiceCollection services, string? instanceName = null, Action<ImmortalOptions>? configure = null)
        where T : Immortal
    {
        ArgumentNullException.ThrowIfNull(services);
        var defaults = new ImmortalOptions { InstanceName = instanceName ?? Immortal.DefaultName(typeof(T)) };
        configure?.Invoke(defaults);
        string name = instanceName ?? defaults.InstanceName;
        ServingMonitor monitor = HostedOf(services).Add(name);
        services.AddSingleton<IHostedService>(provider => new ImmortalService(
            name, () => ImmortalFactory.Make<T>(provider),
                () => Configure(provider, name, instanceName is not null, configure), provider, monitor));
        return services;
    }

    private static HostedImmortals HostedOf(IServiceCollection services)
    {
        if (services.FirstOrDefault(static each => each.ServiceType == typeof(
            HostedImmortals))?.ImplementationInstance is HostedImmortals known)
        {
            return known;
        }

        var hosted = new HostedImmortals();
        services.AddSingleton(hosted);
        return hosted;
    }

    private static ImmortalOptions? Configure(IServiceProvider provider, string name, bool isNamed, Action<ImmortalOptions>? configure)
    {
        var options = new ImmortalOptions { InstanceName = name };
        configure?.Invoke(options);
        if (provider.GetService<IConfiguration>() is { } configuration)
        {
            Read(configuration.GetSection(OptionReader.Section), options);
            Read(configuration.GetSection($"{OptionReader.Section}:{name}"), options);
        }

        ReadEnvironment(options);
        HostedImmortals hosted = provider.GetRequiredService<HostedImmortals>();
        if (hosted.NameHere(isNamed || hosted.AreSeveral ? name : options.InstanceName, Environment.GetEnvironmentVariable) is not { } here)
        {
            return null;
        }

        options.InstanceName = here;
        return options;
    }

    private static void Read(IConfigurationSection section, ImmortalOptions options)
    {
        foreach (IConfigurationSection setting in section.GetChildren().Where(static each => each.Value is not null))
        {
            AppOption? option = AppOption.All.FirstOrDefault(
                known => string.Equals(known.Key, setting.Key, StringComparison.OrdinalIgnoreCase));
            if (option is null)
            {
                MisspeltOption.RefuseKey(setting.Key, section.Path);
            }
            else if (setting.Value is { Length: > 0 } value)
            {
                option.Apply(options, value, $"{section.Path}:{option.Key}");
            }
        }
    }

    private static void ReadEnvironment(ImmortalOptions options)
    {
        foreach (AppOption option in AppOption.All)
        {
            if (Environment.GetEnvironmentVariable(option.Variable) is { Length: > 0 } value)
            {
                option.Apply(options, value, option.Variable);
            }
        }
    }
}
