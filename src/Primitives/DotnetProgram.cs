using System.Diagnostics;
using System.Runtime.InteropServices;

namespace Ambrosia.Primitives;

/// <summary>
/// A program that is shipped as an executable for one platform, or as an assembly for any .NET runtime, and how each is started.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class DotnetProgram
{
    private const string Assembly = ".dll";

    /// <summary>
    /// Path of a program in a folder: the native executable for this platform (in a folder named after it), else the executable beside its
    /// assembly, else the assembly.
    /// </summary>
    /// <param name="folder">Where to look.</param>
    /// <param name="name">Name of the program, without an extension.</param>
    /// <returns>Null if there is none.</returns>
    public static string? Find(string folder, string name)
    {
        string executable = name + (OperatingSystem.IsWindows() ? ".exe" : "");
        string[] places =
        [
            Path.Combine(folder, RuntimeInformation.RuntimeIdentifier, executable), Path.Combine(folder, executable),
            Path.Combine(folder, name + Assembly),
        ];
        return Array.Find(places, File.Exists);
    }

    /// <summary>True if a program is an assembly: starting it needs a .NET runtime on the machine.</summary>
    public static bool NeedsRuntime(string path) => path.EndsWith(Assembly, StringComparison.OrdinalIgnoreCase);

    /// <summary>
    /// How a program is started; its own arguments are to be added. An assembly runs on the runtime that this process runs on.
    /// </summary>
    public static ProcessStartInfo StartOf(string path) =>
        NeedsRuntime(path) ? new ProcessStartInfo(Host(), [path]) : new ProcessStartInfo(path);

    private static string Host()
    {
        string name = "dotnet" + (OperatingSystem.IsWindows() ? ".exe" : "");
        string[] places =
        [
            // .../shared/Microsoft.NETCore.App/8.0.0/, unless the app brought its own runtime along.
            Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", name)),
            Path.Combine(Environment.GetEnvironmentVariable("DOTNET_ROOT") ?? "", name),
        ];
        return Array.Find(places, static place => Path.IsPathRooted(place) && File.Exists(place)) ?? name;
    }
}
