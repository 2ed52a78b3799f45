namespace Ambrosia.Runtime;

/// <summary>The services of an app that has no host.</summary>
internal sealed class NoServices : IServiceProvider
{
    public static NoServices Instance { get; } = new();

    public object? GetService(Type serviceType) => null;
}
