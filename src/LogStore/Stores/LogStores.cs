using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Storage.Local;

namespace Ambrosia.LogStore.Stores;

/// <summary>Chooses a store by its URI: <c>file:/path</c>, <c>memory:</c>, or what <see cref="LogStoreEnvironment.Stores"/> adds.</summary>
public static class LogStores
{
    /// <summary>Makes the storage of one instance. Nothing is touched yet.</summary>
    public static ILogStorage Open(string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment) =>
        SchemeOf(uri) switch
    {
        "file" => new LocalLogStorage(environment.Files, RootOf(uri), instance, options) { Holder = environment.ProcessName },
        "memory" => new LocalLogStorage(environment.Memory, RootOf(uri), instance, options)
            { Holder = environment.ProcessName, InMemory = true },
        var scheme => Find(scheme, environment)?.OpenLog(uri, instance, options, environment)
            ?? throw Unknown("store", uri, environment.Stores.Where(static store => store.HoldsLogs), "memory:"),
    };

    /// <summary>Opens a view of one instance's log, which need not exist. Nothing is written, no lock taken.</summary>
    public static ValueTask<WriteAheadLog> OpenLogAsync(
        string uri, string instance, LogStoreOptions options, LogStoreEnvironment environment) =>
        WriteAheadLog.OpenAsync(Open(uri, instance, options, environment), options, environment);

    /// <summary>The root folder that a file: or memory: URI names.</summary>
    public static string RootOf(string uri)
    {
        string path = uri[(uri.IndexOf(':', StringComparison.Ordinal) + 1)..];
        path = path.StartsWith("//", StringComparison.Ordinal) ? path[1..].TrimStart('/').Insert(0, "/") : path;
        return uri.StartsWith("memory:", StringComparison.Ordinal) ? "/" + path.Trim('/') : path.Length == 0
            ? throw new LogStoreException(StoreErrors.UnknownStore, "the store's URI has no path", "store", "nothing was touched",
                "use file:/path") : Path.GetFullPath(path);
    }

    /// <summary>Whether the store is a folder of this machine, or in this process's memory: <see cref="RootOf"/> names its root.</summary>
    public static bool IsLocal(string uri) => SchemeOf(uri) is "file" or "memory";

    internal static string SchemeOf(string uri) => uri.IndexOf(':', StringComparison.Ordinal) is var colon && colon < 0 ? "" : uri[..colon];

    internal static IStoreProvider? Find(string scheme, LogStoreEnvironment environment) =>
        environment.Stores.FirstOrDefault(store => store.Scheme == scheme);

    /// <summary>The refusal of a URI that leads nowhere.</summary>
    /// <param name="what">What it was to be: a store, a catalog.</param>
    /// <param name="uri">The URI; what may be a secret in it is not shown.</param>
    /// <param name="services">Services that can be one.</param>
    /// <param name="others">How the URIs look that are neither files nor services; the last one after "or".</param>
    internal static LogStoreException Unknown(string what, string uri, IEnumerable<IStoreProvider> services, params string[] others)
    {
        string[] forms = ["file:/path", .. services.Select(static store => store.Form), .. others];
        return new(StoreErrors.UnknownStore, $"no {what} is known for '{Redact(uri)}'", what, "nothing was touched",
            $"use {string.Join(", ", forms[..^1])} or {forms[^1]}");
    }

    // What is not understood may carry a secret, before the host or in the query.
    private static string Redact(string uri)
    {
        string text = uri.Split('?')[0];
        int scheme = text.IndexOf("://", StringComparison.Ordinal);
        int user = text.LastIndexOf('@');
        return scheme >= 0 && user > scheme ? text[..(scheme + 3)] + "***" + text[user..] : text;
    }
}
