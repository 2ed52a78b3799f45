namespace Ambrosia.LogStore.Files;

/// <summary>This operating system, or a process of 32 bits, lacks the calls that stores in files need.</summary>
public sealed class FileStoresUnsupportedException() : PlatformNotSupportedException($"{StoreErrors.FileStoresUnsupported} {Reason}")
{
    /// <summary>The line for people, without its code.</summary>
    public const string Reason = "file stores need 64-bit Linux | this operating system | nothing was touched | "
        + "use a memory: store, or run on Linux or in a Linux container";
}
