namespace Ambrosia.LogStore.Files;

/// <summary>Stores in files are made for other operating systems than this one.</summary>
public sealed class FileStoresUnsupportedException() : PlatformNotSupportedException($"{StoreErrors.FileStoresUnsupported} {Reason}")
{
    /// <summary>The line for people, without its code.</summary>
    public const string Reason = "file stores need Linux, Windows or macOS | this operating system | nothing was touched | "
        + "use a memory: store, or run on Linux or in a Linux container";
}
