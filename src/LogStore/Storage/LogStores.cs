using Ambrosia.LogStore.Storage.Local;

namespace Ambrosia.LogStore.Storage;

/// <summary>Chooses a store by its URI: <c>file:/path</c> or <c>memory:</c>.</summary>
public static class LogStores
{
    /// <summary>Makes the storage of one instance. Nothing is touched yet.</summary>
    public static ILogStorage Open(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment)
    {
        int colon = uri.IndexOf(':', StringComparison.Ordinal);
        string scheme = colon < 0 ? "" : uri[..colon];
        return scheme switch
        {
            "file" => new LocalLogStorage(environment.Files, RootOf(uri), instance, options),
            "memory" => new LocalLogStorage(environment.Memory, RootOf(uri), instance, options),
            _ => throw new LogStoreException("IC-2040", LogExitCode.NotUsable, $"no store is known for '{Redact(uri)}'", "store", "nothing was touched", "use file:/path or memory:"),
        };
    }

    /// <summary>The root folder that a file: or memory: URI names.</summary>
    public static string RootOf(string uri)
    {
        string path = uri[(uri.IndexOf(':', StringComparison.Ordinal) + 1)..];
        path = path.StartsWith("//", StringComparison.Ordinal) ? path[1..].TrimStart('/').Insert(0, "/") : path;
        return uri.StartsWith("memory:", StringComparison.Ordinal) ? "/" + path.Trim('/') : path.Length == 0
            ? throw new LogStoreException("IC-2040", LogExitCode.NotUsable, "the store's URI has no path", "store", "nothing was touched", "use file:/path") : Path.GetFullPath(path);
    }

    // A URI of another store may carry a secret in its query.
    private static string Redact(string uri) => uri.Split('?')[0];
}
