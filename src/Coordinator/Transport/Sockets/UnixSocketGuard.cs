using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Managed;
using Ambrosia.Primitives.Sockets;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>
/// The right to use a socket's path. A killed process leaves its socket file behind, and binding there would fail for ever; but unlinking
/// it unasked would cut off a living owner. So a lock beside it is taken first, which the kernel frees with its holder, and only then the
/// old file goes.
/// </summary>
public sealed class UnixSocketGuard : IDisposable
{
    /// <summary>Longest path of a socket in bytes (sockaddr_un holds 108 with the final zero, 104 on macOS).</summary>
    public static int MaxPathBytes => OperatingSystem.IsMacOS() ? 103 : 107;

    private const uint OwnerOnlyFile = 0x180; // 0600
    private const UnixFileMode AnybodyElse = UnixFileMode.GroupRead | UnixFileMode.GroupWrite | UnixFileMode.GroupExecute
        | UnixFileMode.OtherRead | UnixFileMode.OtherWrite | UnixFileMode.OtherExecute;

    private const UnixFileMode OwnerOnlyFolder = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(20);

    private readonly SafeFileHandle _lock;

    private UnixSocketGuard(SafeFileHandle heldLock) => _lock = heldLock;

    /// <summary>
    /// Makes the folder if it is missing (0700; 0710 for <paramref name="members"/>, a group), takes the lock and removes what a dead
    /// predecessor left.
    /// </summary>
    /// <exception cref="CoordinatorException">Path too long (IC-1005), owner alive (IC-1010), folder unusable (IC-1011), or not to be
    /// given to the group (IC-1016).</exception>
    public static async ValueTask<UnixSocketGuard> TakeAsync(string path, uint? members, TimeProvider time,
        CancellationToken cancellationToken)
    {
        CheckLength(path);
        string folder = Path.GetDirectoryName(path) ?? "/";
        try
        {
            if (SocketFolder.Make(folder) is { } reason)
            {
                throw FolderUnusable(folder, reason, null);
            }

            if (members is { } group && !OperatingSystem.IsWindows() && (File.GetUnixFileMode(folder) & AnybodyElse) == 0)
            {
                ShareWith(group, folder, OwnerOnlyFolder | UnixFileMode.GroupExecute);
            }

            SafeFileHandle held = await TakeLockAsync(path, time, cancellationToken);
            try
            {
                RemoveOld(path);
                return new UnixSocketGuard(held);
            }
            catch
            {
                held.Dispose();
                throw;
            }
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw FolderUnusable(folder, error.Message, error);
        }
    }

    /// <summary>
    /// Binds so that at no instant another user could connect, but members of the group: the mode is set before the file exists, and
    /// checked after.
    /// </summary>
    /// <exception cref="CoordinatorException">It cannot be given to the group (IC-1016).</exception>
    public static void BindPrivately(Socket socket, string path, uint? members)
    {
        if (Platform.UsesLinuxCalls)
        {
            // Linux makes the file with the socket's mode; elsewhere the next lines must do.
            _ = Posix.ChangeMode((int)socket.Handle, OwnerOnlyFile);
        }

        socket.Bind(new UnixDomainSocketEndPoint(path));
        if (OperatingSystem.IsWindows())
        {
            return; // Its rights come from its folder, which is the user's own.
        }

        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        if (members is { } group)
        {
            ShareWith(group, path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupRead | UnixFileMode.GroupWrite);
        }
    }

    /// <summary>Fails when the path cannot be a socket's.</summary>
    /// <exception cref="CoordinatorException">IC-1005.</exception>
    public static void CheckLength(string path)
    {
        int bytes = Encoding.UTF8.GetByteCount(path);
        if (bytes > MaxPathBytes)
        {
            throw new CoordinatorException(
                ProcessErrors.SocketPathTooLong,
                string.Create(CultureInfo.InvariantCulture, $"the socket's path has {bytes} bytes, the system allows {MaxPathBytes}"),
                path,
                "nothing was read or written",
                "give a shorter one with --binding-socket or AMBROSIA_SOCKET, the same for coordinator and app");
        }
    }

    /// <summary>
    /// Whether a process serves this path, another user's included. Nothing is made, and the lock taken for an instant at most: a
    /// process that wants to serve tries more than once.
    /// </summary>
    public static bool IsServed(string path)
    {
        if (!File.Exists(path + ".lock"))
        {
            return false;
        }

        try
        {
            using SafeFileHandle? free = TryLock(path);
            return free is null;
        }
        catch (IOException)
        {
            return true; // It is not ours to open.
        }
    }

    /// <summary>Frees the path. The lock file stays: removing it could free a path that another process has just taken.</summary>
    public void Dispose() => _lock.Dispose();

    // What is no socket has been named by mistake, and is not ours to delete.
    private static void RemoveOld(string path)
    {
        if (Platform.UsesLinuxCalls ? PathStatus.Of(path) is { IsSocket: false } : HoldsSomething(path))
        {
            throw new IOException($"{Path.GetFileName(path)} is there already, and is no socket");
        }

        File.Delete(path);
    }

    // The runtime does not tell a socket from an empty file. What is deleted then holds nothing.
    private static bool HoldsSomething(string path) => Directory.Exists(path) || new FileInfo(path) is { Exists: true, Length: > 0 };

    // The group first: before it is the right one, nobody gets anything by it.
    [UnsupportedOSPlatform("windows")]
    private static void ShareWith(uint group, string path, UnixFileMode mode)
    {
        if (!Platform.UsesLinuxCalls)
        {
            throw GroupUnusable(group, path, "only 64-bit Linux can do that", "leave the option out");
        }

        if (Posix.ChangeOwner(path, Posix.SameOwner, group) != 0)
        {
            throw GroupUnusable(group, path, Marshal.GetLastPInvokeErrorMessage(), "name a group that this process is a member of");
        }

        File.SetUnixFileMode(path, mode);
    }

    // A predecessor that was killed may need a moment to die.
    private static async ValueTask<SafeFileHandle> TakeLockAsync(string path, TimeProvider time, CancellationToken cancellationToken)
    {
        long start = time.GetTimestamp();
        while (true)
        {
            if (TryLock(path) is { } held)
            {
                return held;
            }

            if (time.GetElapsedTime(start) >= s_patience)
            {
                throw OwnerAlive(path);
            }

            await Task.Delay(s_retry, time, cancellationToken);
        }
    }

    private static SafeFileHandle? TryLock(string path) => Platform.UsesLinuxCalls ? TryFlock(path) : TryOpenAlone(path);

    // What the runtime calls not shared is the same flock on Linux and macOS, and no other opening on Windows.
    private static SafeFileHandle? TryOpenAlone(string path)
    {
        if (new FileInfo(path + ".lock").LinkTarget is not null)
        {
            throw new IOException($"the socket's lock, {path}.lock, is a link");
        }

        try
        {
            return File.OpenHandle(path + ".lock", FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }
        catch (IOException error) when (ManagedErrors.Of(error) == Errno.EAGAIN)
        {
            return null;
        }
    }

    [SupportedOSPlatform("linux")]
    private static SafeFileHandle? TryFlock(string path)
    {
        int descriptor = Posix.Open(path + ".lock", Posix.ReadWrite | Posix.Create | Posix.CloseOnExec | Posix.NoFollow, OwnerOnlyFile);
        if (descriptor < 0)
        {
            throw new IOException(Marshal.GetLastPInvokeErrorMessage());
        }

        var handle = new SafeFileHandle(descriptor, ownsHandle: true);
        if (PathStatus.Of(descriptor).Owner is var owner && owner != 0 && owner != SocketCalls.EffectiveUser())
        {
            handle.Dispose();
            throw new IOException(string.Create(CultureInfo.InvariantCulture, $"the socket's lock, {path}.lock, belongs to user {owner}"));
        }

        if (Posix.Lock(descriptor, Posix.LockExclusive | Posix.LockNoWait) == 0)
        {
            return handle;
        }

        int error = Marshal.GetLastPInvokeError();
        string text = Marshal.GetLastPInvokeErrorMessage();
        handle.Dispose();
        return error == Posix.WouldBlock ? null : throw new IOException(text);
    }

    private static CoordinatorException GroupUnusable(uint group, string path, string reason, string advice) => new(
        ProcessErrors.GroupUnusable,
        string.Create(CultureInfo.InvariantCulture, $"it cannot be given to group {group} (--binding-group): {reason}"),
        path,
        "nobody was let in",
        advice);

    private static CoordinatorException OwnerAlive(string path) => new(
        ProcessErrors.SocketInUse,
        "another process serves this socket",
        path,
        "that process was not disturbed",
        "this instance, or the replica of this number, runs already: stop it, or give this one a number of its own (--replica-id), or "
        + "sockets of its own (--binding-socket, --admin)");

    private static CoordinatorException FolderUnusable(string folder, string reason, Exception? inner) => new(
        ProcessErrors.SocketFolderUnusable,
        $"the socket's folder cannot be used: {reason}",
        folder,
        "nothing was read or written",
        "choose a folder that only this user may write to",
        inner);
}
