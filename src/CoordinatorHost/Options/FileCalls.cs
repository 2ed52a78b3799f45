using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>System calls around files and their groups that .NET does not offer.</summary>
[SupportedOSPlatform("linux")]
internal static partial class FileCalls
{
    [LibraryImport("libc", EntryPoint = "link", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    public static partial int Link(string from, string to);

    /// <summary>The number of a group; null if there is none of that name.</summary>
    public static uint? GroupOf(string name)
    {
        nint found = GetGroup(name);
        return found == 0 ? null : (uint)Marshal.ReadInt32(found, 2 * nint.Size); // struct group: name, password, number
    }

    [LibraryImport("libc", EntryPoint = "getgrnam", StringMarshalling = StringMarshalling.Utf8)]
    private static partial nint GetGroup(string name);
}
