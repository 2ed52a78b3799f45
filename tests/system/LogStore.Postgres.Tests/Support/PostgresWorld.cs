using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Postgres.Tests.Support;

/// <summary>What a log store is given here.</summary>
internal static class PostgresWorld
{
    /// <summary>The store's kind, with the password in the environment.</summary>
    public static IReadOnlyList<IStoreProvider> Stores { get; } = [new PostgresStores(static name =>
        name == "PGPASSWORD" ? PostgresServer.Password : null)];

    public static LogStoreEnvironment Environment(RecordingFatal? fatal = null, ILogger? logger = null, TimeProvider? time = null) => new()
    {
        Stores = Stores, Fatal = fatal ?? new RecordingFatal(), Logger = logger ?? new CollectingLogger(), Time = time
            ?? TimeProvider.System,
    };
}
