using System.Diagnostics;
using System.Globalization;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.Coordinator.Transport.Sockets;

/// <summary>
/// The process that connected a Unix socket, held by a pidfd: it cannot be mistaken for another one that gets its number. From Linux 6.15
/// on the kernel tells how it ended, without being its parent; before, and on other systems, nobody knows.
/// </summary>
internal sealed class PeerProcess : IDisposable
{
    private const int SocketLevel = 1;
    private const int PeerPidFd = 77;
    private const int KillSignal = 9;
    private const nuint GetInfo = 0xC040FF0B; // _IOWR(0xFF, 11, 64 bytes)
    private const ulong InfoExit = 1 << 3;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(300);
    private readonly SafeFileHandle _process;

    private PeerProcess(SafeFileHandle process) => _process = process;

    /// <summary>The process behind a connected Unix socket; null where that cannot be known.</summary>
    public static PeerProcess? Of(Socket socket)
    {
        if (!Platform.UsesLinuxCalls || socket.AddressFamily != AddressFamily.Unix)
        {
            return null;
        }

        try
        {
            Span<byte> descriptor = stackalloc byte[sizeof(int)];
            socket.GetRawSocketOption(SocketLevel, PeerPidFd, descriptor);
            return new PeerProcess(new SafeFileHandle(MemoryMarshal.Read<int>(descriptor), ownsHandle: true));
        }
        catch (SocketException)
        {
            return null; // Before Linux 6.5.
        }
    }

    /// <summary>How it ended. The kernel knows once its parent has taken note, which may take a moment.</summary>
    public async ValueTask<AppEnd> EndAsync(TimeProvider time)
    {
        for (long started = time.GetTimestamp(); ; await Task.Delay(s_look, time))
        {
            if (TryReadStatus(out int status))
            {
                return AppEnd.OfWaitStatus(status);
            }

            if (time.GetElapsedTime(started) >= s_patience)
            {
                return new AppEnd(AppEndCause.Unknown, "its connection was lost");
            }
        }
    }

    /// <summary>Ends it at once.</summary>
    public bool Kill()
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        return Posix.SendSignal(_process, KillSignal, 0, 0) == 0;
    }

    /// <summary>Whether it is stopped. In a container of its own it has no number here, and nothing is known.</summary>
    public bool IsStopped
    {
        get
        {
            int number = Number();
            // Looked at again: while its state was read the process could have ended, and another one could have got its number.
            return number > 0 && NamedProcess.IsStopped(number) && Number() == number;
        }
    }

    /// <summary>Whether it has a number here.</summary>
    public bool IsSeen => Number() > 0;

    public void Dispose() => _process.Dispose();

    // The kernel shows what a pidfd stands for among the facts about the descriptor; -1 once the process has ended.
    private int Number()
    {
        try
        {
            string facts = _process.IsClosed
                ? ""
                : File.ReadAllText(string.Create(CultureInfo.InvariantCulture, $"/proc/self/fdinfo/{_process.DangerousGetHandle()}"));
            string? line = facts.Split('\n').FirstOrDefault(static line => line.StartsWith("Pid:", StringComparison.Ordinal));
            return int.TryParse(line?[4..], NumberStyles.AllowLeadingWhite, CultureInfo.InvariantCulture, out int number) ? number : 0;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return 0;
        }
    }

    private bool TryReadStatus(out int status)
    {
        Debug.Assert(Platform.UsesLinuxCalls);
        var info = new ProcessInfo { Mask = InfoExit };
        bool known = !_process.IsClosed && Posix.Control(_process, GetInfo, ref info) == 0 && (info.Mask & InfoExit) != 0;
        status = info.ExitCode;
        return known;
    }

    /// <summary>The first 64 bytes of the kernel's struct pidfd_info.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    internal struct ProcessInfo
    {
        [FieldOffset(0)]
        public ulong Mask;

        [FieldOffset(60)]
        public int ExitCode;
    }
}
