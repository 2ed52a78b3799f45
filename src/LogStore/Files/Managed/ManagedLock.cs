namespace Ambrosia.LogStore.Files.Managed;

/// <summary>
/// An exclusive lock as the runtime offers one: a file that is open with nothing shared. It stands beside the file that is locked, whose
/// text others are to read meanwhile, and stays. The system gives it back however the process ends.
/// </summary>
internal sealed class ManagedLock : IDisposable
{
    /// <summary>What the name of the file beside ends with.</summary>
    public const string Suffix = ".held";

    private readonly FileStream _file;

    private ManagedLock(FileStream file) => _file = file;

    /// <summary>How often a waiter looks.</summary>
    public static TimeSpan Look { get; } = TimeSpan.FromMilliseconds(50);

    /// <summary>Whether anybody ever had it.</summary>
    public static bool Exists(string path) => File.Exists(path + Suffix);

    /// <summary>Takes it; null when another has it.</summary>
    public static ManagedLock? TryTake(string path, bool writes)
    {
        var options = new FileStreamOptions
        {
            Mode = writes ? FileMode.OpenOrCreate : FileMode.Open,
            Access = writes ? FileAccess.ReadWrite : FileAccess.Read,
            // Windows locks what is not shared. It could not delete the store of an instance that is erased if this were not.
            Share = OperatingSystem.IsWindows() ? FileShare.Delete : FileShare.None,
            BufferSize = 0,
        };
        if (!OperatingSystem.IsWindows() && writes)
        {
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        }

        try
        {
            return new ManagedLock(ManagedErrors.Named("lock", path + Suffix, () => new FileStream(path + Suffix, options)));
        }
        catch (FileFailedException error) when (error.Error == Errno.EAGAIN)
        {
            return null;
        }
    }

    public void Dispose() => _file.Dispose();
}
