namespace Ambrosia.LogStore.Files;

/// <summary>What a person can do about a refused file operation, where the reason alone says it.</summary>
public static class ErrnoAdvice
{
    /// <summary>What to do when no descriptor is left.</summary>
    public const string OpenFiles =
        "raise the limit of open files (ulimit -n, LimitNOFILE= of the unit; fs.file-max for the machine), or find out what holds so many, "
        + "then start again";

    /// <summary>Advice for a failure that met a limit of open files, which has nothing to do with the device; else the other one.</summary>
    public static string Or(string otherwise, Exception? error) => error is FileFailedException { Error: Errno.EMFILE or Errno.ENFILE }
        ? OpenFiles
        : otherwise;
}
