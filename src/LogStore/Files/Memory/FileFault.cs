namespace Ambrosia.LogStore.Files.Memory;

/// <summary>
/// How an operation ends: normally when there is no error, else with it after that many bytes of a write were still taken.
/// </summary>
public readonly record struct FileFault(Errno? Error, int BytesWritten = 0)
{
    /// <summary>The operation succeeds.</summary>
    public static FileFault None => default;
}
