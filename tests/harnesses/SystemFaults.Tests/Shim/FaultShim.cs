using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Text;

namespace Ambrosia.SystemFaults.Tests.Shim;

/// <summary>The preloaded library that makes calls fail: built with the system's C compiler, armed from within or by the
/// environment.</summary>
internal static unsafe partial class FaultShim
{
    private const string Library = "ambrosia-faults";

    static FaultShim() => NativeLibrary.SetDllImportResolver(typeof(FaultShim).Assembly, static (name, _, _) =>
        name == Library ? NativeLibrary.Load(Path) : 0);

    public static string Path { get; } = System.IO.Path.Combine(AppContext.BaseDirectory, "ambrosia-faults.so");

    /// <summary>Compiles it.</summary>
    public static void Build()
    {
        string[] arguments = ["-shared", "-fPIC", "-O1", "-Wall", "-o", Path,
            System.IO.Path.Combine(AppContext.BaseDirectory, "Shim", "faults.c"), "-ldl", "-lpthread"];
        using Process compiler = Process.Start("cc", arguments);
        compiler.WaitForExit();
        Assert.True(compiler.ExitCode == 0, "The C compiler that builds the fault shim is missing or failed.");
    }

    /// <summary>What AMBROSIA_FAULT says to a process that is started with the shim.</summary>
    public static string Describe(string folder, Fault fault) =>
        string.Create(System.Globalization.CultureInfo.InvariantCulture,
            $"{folder}|{fault.Call}|{fault.Kind}|{fault.Nth}|{fault.Error}|{fault.Times}|{fault.DelayMs}");

    public static void Arm(string folder, Fault? fault) =>
        Arm(folder, fault?.Call ?? "", fault?.Kind ?? "", fault?.Nth ?? 0, fault?.Error ?? 0, fault?.Times ?? 0, fault?.DelayMs ?? 0);

    [LibraryImport(Library, EntryPoint = "faults_disarm")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Disarm();

    [LibraryImport(Library, EntryPoint = "faults_fired")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint Fired();

    /// <summary>Writes and syncs of the struck file after the first strike.</summary>
    [LibraryImport(Library, EntryPoint = "faults_after")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    public static partial nint After();

    /// <summary>Calls on files of the folder since arming.</summary>
    public static IReadOnlyList<(string Call, string Kind, int Count)> Counts()
    {
        byte[] text = new byte[1 << 16];
        fixed (byte* start = text)
        {
            Counts(start, text.Length);
        }

        string lines = Encoding.ASCII.GetString(text, 0, Array.IndexOf(text, (byte)0));
        return [.. lines.Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split('|'))
            .Select(static part => (part[0], part[1], int.Parse(part[2], System.Globalization.CultureInfo.InvariantCulture)))];
    }

    [LibraryImport(Library, EntryPoint = "faults_counts")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial void Counts(byte* buffer, nint size);

    [LibraryImport(Library, EntryPoint = "faults_arm", StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial void Arm(string folder, string call, string kind, nint nth, int error, nint times, int delayMs);
}
