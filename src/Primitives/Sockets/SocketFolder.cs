using System.Globalization;
using System.Runtime.Versioning;

namespace Ambrosia.Primitives.Sockets;

/// <summary>
/// The folder of a Unix socket. The path of a socket can be guessed, so another user may have made its folder first. The owner of a
/// folder may replace everything in it, whatever its mode says: a folder is used only if it belongs to this process's user or to root.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class SocketFolder
{
    private const UnixFileMode OwnerOnly = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;
    private const UnixFileMode EnteredByAll =
        OwnerOnly | UnixFileMode.GroupRead | UnixFileMode.GroupExecute | UnixFileMode.OtherRead | UnixFileMode.OtherExecute;

    /// <summary>Makes the folder if it is missing, with mode 0700, and what is missing above it with 0755.</summary>
    /// <returns>Why it must not be used; null if it may.</returns>
    /// <exception cref="IOException">It cannot be made or looked at.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be made.</exception>
    public static string? Make(string folder)
    {
        if (OperatingSystem.IsWindows())
        {
            Directory.CreateDirectory(folder); // Rights come from the folder above, which is the user's own.
            return null;
        }

        var missing = new Stack<string>();
        for (string? above = Path.GetDirectoryName(folder); above is not null
            && !Directory.Exists(above); above = Path.GetDirectoryName(above))
        {
            missing.Push(above);
        }

        // One at a time: somebody else may have made one of them in this moment, as a link to somewhere else.
        foreach (string made in missing)
        {
            Directory.CreateDirectory(made, EnteredByAll);
            if (ObjectionTo(made) is { } reason)
            {
                return $"{reason} ({made})";
            }
        }

        Directory.CreateDirectory(folder, OwnerOnly);
        return ObjectionTo(folder);
    }

    /// <summary>The folder of this user's sockets where the system has made none for that.</summary>
    public static string OfUser => Path.Combine(Path.GetTempPath(), $"ambrosia-{UserName()}");

    /// <summary>Why files in a folder with this status are not safe from other users than <paramref name="own"/> and root; null if they
    /// are.</summary>
    [SupportedOSPlatform("linux")]
    public static string? Objection(PathStatus status, uint own)
    {
        if (status.Owner != own && status.Owner != 0)
        {
            return string.Create(CultureInfo.InvariantCulture,
                $"it belongs to user {status.Owner}, who may replace files in it; this process is of user {own}");
        }

        // A sticky folder such as /tmp protects the names of its files, from all but its owner.
        return status.IsWritableByOthers && !status.IsSticky ? "other users may replace files in it" : null;
    }

    // By number on Linux, by name elsewhere, where the runtime tells no number.
    private static string UserName() => Platform.UsesLinuxCalls
        ? SocketCalls.EffectiveUser().ToString(CultureInfo.InvariantCulture)
        : string.Concat(Environment.UserName.Select(static letter => char.IsAsciiLetterOrDigit(letter) ? letter : '_'));

    [UnsupportedOSPlatform("windows")]
    private static string? ObjectionTo(string folder)
    {
        if (!Platform.UsesLinuxCalls)
        {
            UnixFileMode mode = File.GetUnixFileMode(folder); // Whose it is, only Linux is asked.
            return (mode & (UnixFileMode.GroupWrite | UnixFileMode.OtherWrite)) != 0 && (mode & UnixFileMode.StickyBit) == 0
            ? "other users may replace files in it" : null;
        }

        uint own = SocketCalls.EffectiveUser();
        PathStatus status = PathStatus.Of(folder) ?? throw new IOException("it has just been removed");
        if (status.IsLink)
        {
            if (status.Owner is var maker && maker != own && maker != 0)
            {
                return string.Create(CultureInfo.InvariantCulture, $"it is a link that user {maker} made");
            }

            status = PathStatus.Of(folder, follow: true) ?? throw new IOException("it is a link to nothing");
        }

        return status.IsFolder ? Objection(status, own) : "it is no folder";
    }
}
