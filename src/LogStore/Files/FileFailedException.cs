namespace Ambrosia.LogStore.Files;

/// <summary>A file operation failed; carries what the operating system said.</summary>
public sealed class FileFailedException(string call, string path, Errno error)
    : IOException($"{call} failed with {error} ({(int)error}) on {path}")
{
    /// <summary>The call, such as fdatasync.</summary>
    public string Call { get; } = call;

    /// <summary>The file or folder.</summary>
    public string Path { get; } = path;

    /// <summary>The reason.</summary>
    public Errno Error { get; } = error;
}
