using System.Globalization;
using System.IO.MemoryMappedFiles;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.Bench.Relay.Rings;

/// <summary>
/// Memory of two processes, for bytes from one of them to the other: 0 bytes written so far · 128 bytes read so far · 256 whether the
/// reader sleeps · 384 whether the writer does · 4096 the bytes. Nothing of it has a name in a file system, so nothing is left behind by
/// processes that are killed.
/// </summary>
internal sealed unsafe partial class Ring : IDisposable
{
    /// <summary>Bytes under way at most.</summary>
    public const int Capacity = 1 << 20;

    private const int Header = 4096;
    private const int Line = 128; // Two cache lines: the processor fetches them in pairs.
    private const int NameLength = 64;
    private const uint CloseOnExec = 1;

    private readonly MemoryMappedFile _file;
    private readonly MemoryMappedViewAccessor _view;
    private readonly byte* _memory;

    private Ring(SafeFileHandle handle)
    {
        _file = MemoryMappedFile.CreateFromFile(handle, null, Header + Capacity, MemoryMappedFileAccess.ReadWrite,
            HandleInheritability.None, leaveOpen: false);
        _view = _file.CreateViewAccessor(0, Header + Capacity);
        _view.SafeMemoryMappedViewHandle.AcquirePointer(ref _memory);
    }

    public ref long Written => ref *(long*)_memory;

    public ref long Read => ref *(long*)(_memory + Line);

    public ref int ReaderSleeps => ref *(int*)(_memory + (2 * Line));

    public ref int WriterSleeps => ref *(int*)(_memory + (3 * Line));

    /// <summary>Makes one and tells the other side where it is.</summary>
    public static Ring Offer(Socket socket)
    {
        int descriptor = CreateMemory("relay", CloseOnExec);
        if (descriptor < 0)
        {
            throw new IOException($"memfd_create failed with error {Marshal.GetLastPInvokeError()}.");
        }

        var ring = new Ring(new SafeFileHandle(descriptor, ownsHandle: true));
        byte[] name = new byte[NameLength];
        Encoding.ASCII.GetBytes(string.Create(CultureInfo.InvariantCulture, $"/proc/{Environment.ProcessId}/fd/{descriptor}"), name);
        socket.Send(name);
        Expect(socket, name.AsSpan(0, 1));
        return ring;
    }

    /// <summary>Opens the one that the other side has made.</summary>
    public static Ring Accept(Socket socket)
    {
        byte[] name = new byte[NameLength];
        Expect(socket, name);
        var ring = new Ring(
            File.OpenHandle(Encoding.ASCII.GetString(name).TrimEnd('\0'), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite));
        socket.Send(name.AsSpan(0, 1));
        return ring;
    }

    /// <summary>The bytes from a position on, up to where the ring begins again.</summary>
    public Span<byte> At(long position, long count)
    {
        int offset = (int)(position % Capacity);
        return new Span<byte>(_memory + Header + offset, (int)Math.Min(count, Capacity - offset));
    }

    public void Dispose()
    {
        _view.SafeMemoryMappedViewHandle.ReleasePointer();
        _view.Dispose();
        _file.Dispose();
    }

    private static void Expect(Socket socket, Span<byte> bytes)
    {
        if (socket.Receive(bytes) != bytes.Length)
        {
            throw new IOException("The other side ended before the ring was theirs, too.");
        }
    }

    [LibraryImport("libc", EntryPoint = "memfd_create", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static partial int CreateMemory(string name, uint flags);
}
