using System.Globalization;
using System.Runtime.Versioning;

namespace Ambrosia.LogStore.Files.Posix;

/// <summary>Names of the file systems whose locks or syncs cannot be trusted, by the number that statfs reports.</summary>
[SupportedOSPlatform("linux")]
internal static class PosixVolumes
{
    public static VolumeStatus Describe(long type, long freeBytes) => type switch
    {
        0x6969 => new("nfs", true, freeBytes),
        0x517B => new("smb", true, freeBytes),
        0xFF534D42 => new("cifs", true, freeBytes),
        0xFE534D42 => new("smb2", true, freeBytes),
        0x01021997 => new("9p", true, freeBytes),
        0x00C36400 => new("ceph", true, freeBytes),
        0x47504653 => new("gpfs", true, freeBytes),
        0x0BD00BD0 => new("lustre", true, freeBytes),
        0x5346414F => new("afs", true, freeBytes),
        0xEF53 => new("ext", false, freeBytes),
        0x58465342 => new("xfs", false, freeBytes),
        0x9123683E => new("btrfs", false, freeBytes),
        0x01021994 => new("tmpfs", false, freeBytes),
        0x794C7630 => new("overlay", false, freeBytes),
        0x2FC12FC1 => new("zfs", false, freeBytes),
        _ => new(string.Create(CultureInfo.InvariantCulture, $"0x{type:x}"), false, freeBytes),
    };
}
