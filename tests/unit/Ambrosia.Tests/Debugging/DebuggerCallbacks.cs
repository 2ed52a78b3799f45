using System.Runtime.InteropServices;

namespace Ambrosia.Cli.Tests.Debugging;

/// <summary>What the debugging interface calls (ICorDebugManagedCallback and its second version), by hand: the runtime makes no such
/// objects outside of Windows.</summary>
internal sealed unsafe class DebuggerCallbacks
{
    private const int Breakpoint = 0;
    private const int LoadModule = 10;
    private const int DebuggerError = 14;
    private const int CreateAppDomain = 17;
    private const int ExitProcess = 7;
    private static readonly Guid s_unknown = new("00000000-0000-0000-C000-000000000046");
    private static readonly Guid s_first = new("3d6f5f60-7538-11d3-8d5b-00104b35e7ef");
    private static readonly Guid s_second = new("250E5EEA-DB5C-4C76-B6F3-8C46F12E3203");
    private static DebuggerCallbacks? s_current; // One at a time: what is called knows nothing but a pointer.
    private readonly Action<ComPointer> _moduleLoaded;
    private readonly Action<ComPointer> _stopped;
    private readonly Action<string> _trouble;
    private readonly nint _second;

    public DebuggerCallbacks(Action<ComPointer> moduleLoaded, Action<ComPointer> stopped, Action<string> trouble)
    {
        (_moduleLoaded, _stopped, _trouble) = (moduleLoaded, stopped, trouble);
        nint goOn = (nint)(delegate* unmanaged<nint, nint, nint, int>)&GoOn;
        nint[] first = [.. Enumerable.Repeat(goOn, 26)];
        first[Breakpoint] = (nint)(delegate* unmanaged<nint, nint, nint, int>)&OnBreakpoint;
        first[LoadModule] = (nint)(delegate* unmanaged<nint, nint, nint, int>)&OnModule;
        first[CreateAppDomain] = (nint)(delegate* unmanaged<nint, nint, nint, int>)&OnAppDomain;
        first[DebuggerError] = (nint)(delegate* unmanaged<nint, nint, nint, int>)&OnError;
        first[ExitProcess] = (nint)(delegate* unmanaged<nint, nint, nint, int>)&Nothing;
        Pointer = Make(first);
        _second = Make([.. Enumerable.Repeat(goOn, 8)]);
        s_current = this;
    }

    public nint Pointer { get; }

    // Lives as long as the process: the interface may still hold it.
    private static nint Make(nint[] methods)
    {
        nint* memory = (nint*)NativeMemory.Alloc((nuint)(methods.Length + 4), (nuint)sizeof(nint));
        memory[0] = (nint)(memory + 1);
        memory[1] = (nint)(delegate* unmanaged<nint, Guid*, nint*, int>)&Query;
        memory[2] = (nint)(delegate* unmanaged<nint, int>)&Count;
        memory[3] = (nint)(delegate* unmanaged<nint, int>)&Count;
        methods.CopyTo(new Span<nint>(memory + 4, methods.Length));
        return (nint)memory;
    }

    [UnmanagedCallersOnly]
    private static int Query(nint self, Guid* contract, nint* result)
    {
        const int NoInterface = unchecked((int)0x80004002);
        *result = *contract == s_second ? s_current!._second : *contract == s_first || *contract == s_unknown ? s_current!.Pointer : 0;
        return *result == 0 ? NoInterface : 0;
    }

    [UnmanagedCallersOnly]
    private static int Count(nint self) => 1;

    [UnmanagedCallersOnly]
    private static int Nothing(nint self, nint first, nint second) => 0;

    [UnmanagedCallersOnly]
    private static int GoOn(nint self, nint first, nint second) => s_current!.Do(first, static () => { });

    [UnmanagedCallersOnly]
    private static int OnBreakpoint(nint self, nint domain, nint thread) =>
        s_current!.Do(domain, () => s_current._stopped(new ComPointer(thread)));

    [UnmanagedCallersOnly]
    private static int OnModule(nint self, nint domain, nint module) =>
        s_current!.Do(domain, () => s_current._moduleLoaded(new ComPointer(module)));

    [UnmanagedCallersOnly]
    private static int OnAppDomain(nint self, nint process, nint domain) =>
        s_current!.Do(process, () => new ComPointer(domain).Call(21, "ICorDebugAppDomain.Attach"));

    [UnmanagedCallersOnly]
    private static int OnError(nint self, nint process, nint result) =>
        s_current!.Do(process, () => s_current._trouble($"The debugger reports 0x{result:X8}."));

    // Whatever was called about, its process stands still until it is told to continue; an exception must not leave this way.
    private int Do(nint controller, Action what)
    {
        try
        {
            what();
            new ComPointer(controller).Call(4, "ICorDebugController.Continue");
        }
        catch (InvalidOperationException error)
        {
            _trouble(error.Message);
        }

        return 0;
    }
}
