using System.Runtime.InteropServices;

namespace Ambrosia.Cli.Tests.Debugging;

/// <summary>An object of the debugging interface: its methods are called by their places in its table, as the interface's definition
/// numbers them; 0 to 2 are IUnknown's.</summary>
internal readonly unsafe record struct ComPointer(nint Address)
{
    public static void Check(int result, string what)
    {
        if (result < 0)
        {
            throw new InvalidOperationException($"{what} failed with 0x{result:X8}.");
        }
    }

    public ComPointer As(Guid contract)
    {
        nint other;
        Check(Marshal.QueryInterface(Address, in contract, out other), "QueryInterface");
        return new ComPointer(other);
    }

    // Every parameter is an integer or a pointer, and what a callee does not expect it does not look at.
    public void Call(int place, string what, nint first = 0, nint second = 0, nint third = 0)
    {
        nint* table = *(nint**)Address;
        Check(((delegate* unmanaged<nint, nint, nint, nint, int>)table[place])(Address, first, second, third), what);
    }

    public void Call(int place, string what, uint first) => Call(place, what, (nint)first);
}
