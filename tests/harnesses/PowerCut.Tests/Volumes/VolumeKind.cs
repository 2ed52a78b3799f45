namespace Ambrosia.PowerCut.Tests.Volumes;

/// <summary>A file system and how it is made and mounted.</summary>
/// <param name="Name">Name in reports.</param>
/// <param name="FileSystem">As mount knows it.</param>
/// <param name="MiB">Size of the image; most of it is a hole. Sixty lives must fit in without one that finishes a checkpoint, and so
/// releases log: on a busy machine few do.</param>
/// <param name="MakeArguments">Arguments of mkfs before the device.</param>
/// <param name="MountOptions">Data of mount.</param>
internal sealed record VolumeKind(string Name, string FileSystem, int MiB, string[] MakeArguments, string MountOptions)
{
    /// <summary>Every kind that is tested; the first of each file system is what a distribution makes by default.</summary>
    public static IReadOnlyList<VolumeKind> All { get; } =
    [
        new("ext4", "ext4", 192, ["-q", "-F", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0"], ""),
        new("ext4 writeback", "ext4", 192, ["-q", "-F", "-b", "1024"], "data=writeback,noauto_da_alloc"),
        new("xfs", "xfs", 320, ["-q", "-f"], ""),
        new("ext4 journal", "ext4", 192, ["-q", "-F", "-b", "4096"], "data=journal"),
        new("ext4 no checksums", "ext4", 192, ["-q", "-F", "-b", "1024", "-O", "^metadata_csum,^64bit"], "commit=1"),
        new("xfs 1k", "xfs", 320, ["-q", "-f", "-b", "size=1024"], ""),
    ];
}
