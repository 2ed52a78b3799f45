using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.Hosting;

/// <summary>
/// Makes the objects of an immortal: without arguments where the class allows it, else with services of the host, none of which may
/// become state.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class ImmortalFactory
{
    /// <summary>A fresh object.</summary>
    /// <param name="services">The host's services; null for an app without any.</param>
    /// <exception cref="OptionException">A service is missing, or one would be saved.</exception>
    public static T Make<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] T>(IServiceProvider? services)
        where T : Immortal
    {
        if (IsMadeOfNothing(typeof(T)))
        {
            return Activator.CreateInstance<T>();
        }

        var given = new GivenServices(services ?? throw new OptionException(
            $"{typeof(T).FullName} is made with services, and this app has none: add it to a host with AddImmortal, set "
            + "ImmortalTestOptions.Services, or give it a public constructor without parameters as well."));
        T made;
        try
        {
            made = ActivatorUtilities.CreateInstance<T>(given);
        }
        catch (InvalidOperationException error)
        {
            throw new OptionException($"{typeof(T).FullName} cannot be made: {error.Message} Register the service in the host, as a "
                + "singleton or transient one.");
        }

        if (given.FindSaved(made) is { } found)
        {
            throw new OptionException($"{found.Path} would save the service {found.Service.GetType().FullName} with the state: mark the "
                + "field [NotSaved]. A parameter of a primary constructor that methods use is such a field: put it into a [NotSaved] one.");
        }

        return made;
    }

    // As ever: a class that can be made without arguments is, unless it says otherwise.
    private static bool IsMadeOfNothing(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] Type type)
    {
        ConstructorInfo[] constructors = type.GetConstructors();
        return constructors.Any(static each => each.GetParameters().Length == 0)
            && !constructors.Any(static each => each.GetParameters().Length > 0
                && each.IsDefined(typeof(ActivatorUtilitiesConstructorAttribute)));
    }
}
