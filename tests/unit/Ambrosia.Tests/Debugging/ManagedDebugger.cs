using System.Collections.Concurrent;
using System.Globalization;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;
using System.Runtime.InteropServices;

namespace Ambrosia.Cli.Tests.Debugging;

/// <summary>
/// A debugger attached to another .NET process by the interface that Visual Studio Code, Rider and netcoredbg use, too (ICorDebug, part of
/// every runtime): breakpoints at the beginning of methods, and the number that the method was called with. Every stop goes on by itself
/// when it has been noted.
/// </summary>
internal sealed unsafe class ManagedDebugger : IDisposable
{
    private const int CorDebugVersion = 4;
    private readonly BlockingCollection<long> _stops = [];
    private readonly string _module;
    private readonly int _method;
    private readonly DebuggerCallbacks _callbacks;
    private readonly ComPointer _debug;
    private readonly ComPointer _process;
    private ComPointer? _breakpoint;
    private string? _trouble;

    private ManagedDebugger(int process, string module, string type, string method)
    {
        (_module, _method) = (module, TokenOf(module, type, method));
        _callbacks = new DebuggerCallbacks(ModuleLoaded, Stopped, text => _trouble ??= text);
        string runtime = RuntimeOf(process, out nint loadedAt);
        nint library = NativeLibrary.Load(Path.Combine(runtime, "libmscordbi.so"));
        const int ProcessAttach = 1; // What the loader of other systems says to a library.
        _ = ((delegate* unmanaged<nint, int, nint, int>)NativeLibrary.GetExport(library, "DllMain"))(library, ProcessAttach, 0);
        var create = (delegate* unmanaged<int, int, char*, char*, nint, nint*, int>)NativeLibrary.GetExport(library,
            "CoreCLRCreateCordbObject3");
        nint debug;
        fixed (char* access = Path.Combine(runtime, "libmscordaccore.so"))
        {
            ComPointer.Check(create(CorDebugVersion, process, null, access, loadedAt, &debug), "CoreCLRCreateCordbObject3");
        }

        _debug = new ComPointer(debug).As(new Guid("3d6f5f61-7538-11d3-8d5b-00104b35e7ef"));
        _debug.Call(3, "ICorDebug.Initialize");
        _debug.Call(5, "ICorDebug.SetManagedHandler", _callbacks.Pointer);
        nint attached;
        _debug.Call(8, "ICorDebug.DebugActiveProcess", process, 0, (nint)(&attached));
        _process = new ComPointer(attached);
    }

    /// <summary>Attaches to a process, with a breakpoint at the beginning of a method that takes one long.</summary>
    public static ManagedDebugger Attach(int process, string module, string type, string method) => new(process, module, type, method);

    /// <summary>The number that the method was called with where it stopped next.</summary>
    public long NextStop(TimeSpan patience) =>
        _stops.TryTake(out long number, patience) ? number : throw new TimeoutException($"The debugger did not stop. {_trouble}");

    /// <summary>Stops that nobody has asked for yet.</summary>
    public int StopsWaiting => _stops.Count;

    /// <summary>Detaches: the process goes on.</summary>
    public void Dispose()
    {
        _process.Call(3, "ICorDebugProcess.Stop", uint.MaxValue);
        _breakpoint?.Call(3, "ICorDebugBreakpoint.Activate", 0); // A process is let go only without any.
        _process.Call(9, "ICorDebugProcess.Detach");
        _debug.Call(4, "ICorDebug.Terminate");
        _stops.Dispose();
    }

    private void ModuleLoaded(ComPointer module)
    {
        char* name = stackalloc char[1024];
        uint length;
        module.Call(6, "ICorDebugModule.GetName", 1024, (nint)(&length), (nint)name);
        if (Path.GetFileName(new string(name)) != Path.GetFileName(_module))
        {
            return;
        }

        nint function;
        module.Call(9, "ICorDebugModule.GetFunctionFromToken", _method, (nint)(&function));
        nint breakpoint;
        new ComPointer(function).Call(8, "ICorDebugFunction.CreateBreakpoint", (nint)(&breakpoint));
        _breakpoint = new ComPointer(breakpoint);
        _breakpoint.Value.Call(3, "ICorDebugBreakpoint.Activate", 1);
    }

    private void Stopped(ComPointer thread)
    {
        nint frame;
        thread.Call(15, "ICorDebugThread.GetActiveFrame", (nint)(&frame));
        nint argument;
        new ComPointer(frame).As(new Guid("03E26311-4F76-11d3-88C6-006097945418"))
            .Call(16, "ICorDebugILFrame.GetArgument", 1, (nint)(&argument));
        long number;
        new ComPointer(argument).As(new Guid("CC7BCAF8-8A68-11d2-983C-0000F808342D"))
            .Call(7, "ICorDebugGenericValue.GetValue", (nint)(&number));
        _stops.Add(number);
    }

    private static int TokenOf(string module, string type, string method)
    {
        using var file = new PEReader(File.OpenRead(module));
        MetadataReader reader = file.GetMetadataReader();
        TypeDefinition definition = reader.TypeDefinitions.Select(reader.GetTypeDefinition)
            .Single(one => reader.GetString(one.Name) == type);
        return MetadataTokens.GetToken(definition.GetMethods()
            .Single(one => reader.GetString(reader.GetMethodDefinition(one).Name) == method));
    }

    // "7f1c39a00000-7f1c39b00000 r--p 00000000 fe:00 1234  /usr/share/dotnet/shared/.../libcoreclr.so"
    private static string RuntimeOf(int process, out nint loadedAt)
    {
        string line = File.ReadLines($"/proc/{process}/maps")
            .First(static line => line.EndsWith("/libcoreclr.so", StringComparison.Ordinal));
        loadedAt = nint.Parse(line.AsSpan(0, line.IndexOf('-', StringComparison.Ordinal)), NumberStyles.HexNumber,
            CultureInfo.InvariantCulture);
        return Path.GetDirectoryName(line[line.IndexOf('/', StringComparison.Ordinal)..])!;
    }
}
