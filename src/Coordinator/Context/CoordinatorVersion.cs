using System.Reflection;

namespace Ambrosia.Coordinator.Context;

/// <summary>Which build this is.</summary>
public static class CoordinatorVersion
{
    /// <summary>As in the names of packages, such as 0.1.0.</summary>
    public static string Text { get; } =
        typeof(CoordinatorVersion).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()
            ?.InformationalVersion.Split('+')[0] ?? "unknown";
}
