using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;

namespace Ambrosia.PowerCut.Tests.Volumes;

/// <summary>
/// A disk of our own: an image behind a loop device. The device detaches itself when this process no longer holds it and nothing is mounted
/// from it, and the mount lives in this process's own mount namespace: whatever ends the process takes both away.
/// After a cut the power comes back to a copy of the image that was taken at the cut, behind another device. The kernel's cache of the old
/// device is not what a machine without power keeps: it holds blocks of transactions that never were, and unmounting would write them, over
/// the data of other files too.
/// </summary>
internal sealed unsafe class Volume : IDisposable
{
    private const nuint ShutdownRequest = 0x8004587D; // _IOR('X', 125, __u32): EXT4_IOC_SHUTDOWN and XFS_IOC_GOINGDOWN are the same.
    private const nuint LoopGetFree = 0x4C82;
    private const nuint LoopConfigure = 0x4C0A;
    private const uint StartWriting = 2; // SYNC_FILE_RANGE_WRITE
    private const string BadChecksum = "4"; // EXT4_ERR_EFSBADCRC
    private const string Corrupted = "5"; // EXT4_ERR_EFSCORRUPTED
    private static readonly TimeSpan s_unmountPatience = TimeSpan.FromSeconds(60);
    private readonly string _place;
    private SafeFileHandle _image;
    private SafeFileHandle? _imageAtCut;
    private int _device;
    private string _devicePath;
    private int _cutHandle = -1;

    private Volume(VolumeKind kind, string place, string folder, SafeFileHandle image)
    {
        (Kind, _place, Folder, _image) = (kind, place, folder, image);
        (_device, _devicePath) = Attach(image);
    }

    public VolumeKind Kind { get; }

    /// <summary>Where it is mounted.</summary>
    public string Folder { get; }

    public bool IsOn => _cutHandle >= 0 && !IsCut;

    /// <summary>Whether the power is off.</summary>
    public bool IsCut { get; private set; }

    /// <summary>
    /// An inconsistency in its own structures that the mounted file system has found and noted; null if there is none. A cut alone leaves
    /// no note. Only ext4 keeps notes.
    /// </summary>
    public string? OwnDamage()
    {
        string notes = "/sys/fs/ext4/" + Path.GetFileName(_devicePath);
        if (!Directory.Exists(notes) || !(Read("last_error_errcode") is BadChecksum or Corrupted))
        {
            return null;
        }

        return $"{Read("errors_count")} errors, the first in {Read("first_error_func")}, the last in {Read("last_error_func")}, line "
            + $"{Read("last_error_line")}";

        string Read(string name) => File.ReadAllText(Path.Combine(notes, name)).Trim();
    }

    /// <summary>Makes an image and its file system. Not mounted yet.</summary>
    public static Volume Create(VolumeKind kind, string place, string name)
    {
        string path = Path.Combine(place, name + ".img");
        using (FileStream file = File.Create(path))
        {
            file.SetLength((long)kind.MiB << 20);
        }

        Tool.Run("mkfs." + kind.FileSystem, [.. kind.MakeArguments, path]);
        SafeFileHandle image = File.OpenHandle(path, FileMode.Open, FileAccess.ReadWrite);
        File.Delete(path); // The handle keeps it, and the device.
        string folder = Path.Combine(place, name);
        Directory.CreateDirectory(folder);
        return new Volume(kind, place, folder, image);
    }

    /// <summary>Power on: the journal is replayed.</summary>
    public void Mount()
    {
        if (_imageAtCut is { } image)
        {
            _ = Kernel.Close(_device);
            _image.Dispose();
            (_image, _imageAtCut) = (image, null);
            (_device, _devicePath) = Attach(image);
        }

        Check(Kernel.Mount(_devicePath, Folder, Kind.FileSystem, 0, Kind.MountOptions), $"mount {Kind.Name}");
        _cutHandle = Kernel.Open(Folder, Kernel.ReadOnly | Kernel.CloseOnExec, 0);
        Check(_cutHandle, "open the mounted folder");
        IsCut = false;
    }

    /// <summary>Power off. Every later call on a file of the volume fails.</summary>
    public void Cut(CutMode mode)
    {
        uint flags = (uint)mode;
        Check(Kernel.Control(_cutHandle, ShutdownRequest, &flags), $"shut {Kind.Name} down");
        _imageAtCut = CopyImage();
        IsCut = true;
    }

    /// <summary>
    /// What the kernel may do at any time: begins to write some of the pages that nobody has synced, in any order. Of a write that was not
    /// synced an arbitrary part is then on the device.
    /// </summary>
    public static void WriteSomePages(string file, Random random)
    {
        int descriptor = Kernel.Open(file, Kernel.ReadOnly | Kernel.CloseOnExec, 0);
        if (descriptor < 0)
        {
            return; // Deleted or renamed meanwhile.
        }

        for (int i = 0; i < 4; i++)
        {
            // A refusal changes nothing: then these pages were not written.
            _ = Kernel.SyncRange(descriptor, random.Next(64) * 4096L, 4096L * random.Next(1, 4), StartWriting);
        }

        _ = Kernel.Close(descriptor);
    }

    /// <summary>Waits until the last file is closed: a process that is just being started shares descriptors for a moment.</summary>
    public void Unmount()
    {
        if (_cutHandle < 0)
        {
            return;
        }

        _ = Kernel.Close(_cutHandle);
        _cutHandle = -1;
        var watch = System.Diagnostics.Stopwatch.StartNew();
        while (Kernel.Unmount(Folder, 0) != 0)
        {
            if (Kernel.Error != Kernel.Busy || watch.Elapsed > s_unmountPatience)
            {
                throw new InvalidOperationException($"{Folder} cannot be unmounted: {Kernel.Reason}");
            }

            Thread.Sleep(1);
        }
    }

    public void Dispose()
    {
        Unmount();
        _ = Kernel.Close(_device);
        _image.Dispose();
        _imageAtCut?.Dispose();
    }

    /// <summary>What the device holds at this moment; holes stay holes.</summary>
    private SafeFileHandle CopyImage()
    {
        string path = Path.Combine(_place, Path.GetRandomFileName());
        SafeFileHandle copy = File.OpenHandle(path, FileMode.CreateNew, FileAccess.ReadWrite);
        File.Delete(path);
        long length = (long)Kind.MiB << 20;
        RandomAccess.SetLength(copy, length);
        int from = (int)_image.DangerousGetHandle();
        int to = (int)copy.DangerousGetHandle();
        for (long at = Kernel.Seek(from, 0, Kernel.SeekData); at >= 0; at = Kernel.Seek(from, at, Kernel.SeekData))
        {
            long end = Kernel.Seek(from, at, Kernel.SeekHole);
            long target = at;
            while (at < end)
            {
                long count = Kernel.CopyRange(from, ref at, to, ref target, (nuint)(end - at), 0);
                if (count <= 0)
                {
                    throw new InvalidOperationException($"The image cannot be copied at {at}: {Kernel.Reason}");
                }
            }
        }

        return copy;
    }

    private static (int Device, string Path) Attach(SafeFileHandle image)
    {
        int control = Kernel.Open("/dev/loop-control", Kernel.ReadWrite | Kernel.CloseOnExec, 0);
        Check(control, "open /dev/loop-control (root and loop devices are needed)");
        int backing = (int)image.DangerousGetHandle();
        byte* config = stackalloc byte[304]; // struct loop_config
        try
        {
            while (true)
            {
                int number = Kernel.Control(control, LoopGetFree, null);
                Check(number, "find a free loop device");
                string path = $"/dev/loop{number}";
                int device = Kernel.Open(path, Kernel.ReadWrite | Kernel.CloseOnExec, 0);
                Check(device, "open " + path);
                new Span<byte>(config, 304).Clear();
                *(int*)config = backing;
                *(uint*)(config + 60) = 4; // LO_FLAGS_AUTOCLEAR
                Encoding.ASCII.GetBytes("ambrosia-power-cut", new Span<byte>(config + 64, 63));
                if (Kernel.Control(device, LoopConfigure, config) == 0)
                {
                    return (device, path);
                }

                // Somebody else was faster: the next one.
                int error = Kernel.Error;
                _ = Kernel.Close(device);
                if (error != Kernel.Busy)
                {
                    throw new InvalidOperationException($"{path} cannot be attached: {Marshal.GetPInvokeErrorMessage(error)}");
                }
            }
        }
        finally
        {
            _ = Kernel.Close(control);
        }
    }

    private static void Check(int result, string what)
    {
        if (result < 0)
        {
            throw new InvalidOperationException($"Cannot {what}: {Kernel.Reason}");
        }
    }
}
