using System.Buffers.Binary;
using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace Ambrosia.Primitives.Sockets;

/// <summary>Who is at the other end of a Unix socket: who connected it, or who listened, as the kernel noted it at that moment.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct SocketUser(int Process, uint User, uint Group)
{
    // Values of <sys/socket.h> on Linux; .NET has no names for them.
    private const int SocketLevel = 1;
    private const int PeerCredentials = 17;
    private const int PeerGroups = 59;
    private const int MostGroups = 65536; // NGROUPS_MAX

    /// <summary>Who is at the other end; null for other sockets, and where the system does not say.</summary>
    public static SocketUser? Of(Socket socket)
    {
        if (!Platform.UsesLinuxCalls || socket.AddressFamily != AddressFamily.Unix)
        {
            return null;
        }

        Span<byte> credentials = stackalloc byte[12];
        socket.GetRawSocketOption(SocketLevel, PeerCredentials, credentials);
        return new SocketUser(
            BinaryPrimitives.ReadInt32LittleEndian(credentials), BinaryPrimitives.ReadUInt32LittleEndian(credentials[4..]),
            BinaryPrimitives.ReadUInt32LittleEndian(credentials[8..]));
    }

    /// <summary>Why this is none of those whom a socket of ours is for: this process's user, root, and the members of a group; null if it
    /// is one.</summary>
    public string? Objection(Socket socket, uint? members)
    {
        if (!Platform.UsesLinuxCalls)
        {
            return null; // Nobody is known by number here.
        }

        uint own = SocketCalls.EffectiveUser();
        if (User == own || User == 0 || (members is { } group && (Group == group || GroupsOf(socket).Contains(group))))
        {
            return null;
        }

        string others = members is { } named ? string.Create(CultureInfo.InvariantCulture, $" and for members of group {named}") : "";
        return string.Create(CultureInfo.InvariantCulture,
            $"process {Process} belongs to user {User}; this socket is for user {own}{others}");
    }

    /// <summary>Why what listens here is not believed; null if it belongs to user <paramref name="own"/>, to root, or to the user who is
    /// <paramref name="allowed"/>.</summary>
    public string? ListenerObjection(uint own, uint? allowed) => User == own || User == 0 || User == allowed
        ? null
        : string.Create(CultureInfo.InvariantCulture,
            $"process {Process} listens there, which belongs to user {User}, not to user {allowed ?? own}");

    private static ReadOnlySpan<uint> GroupsOf(Socket socket)
    {
        byte[] groups = new byte[sizeof(uint) * MostGroups];
        try
        {
            int length = socket.GetRawSocketOption(SocketLevel, PeerGroups, groups);
            return MemoryMarshal.Cast<byte, uint>(groups.AsSpan(0, length));
        }
        catch (SocketException)
        {
            return []; // Before Linux 4.13.
        }
    }
}
