using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Inspection;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Read;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.Cli.History;

/// <summary>Finds the logs that a page shows: the instance's own, those beside it, those that were named.</summary>
internal sealed class PeerLogs(Places places, ParseResult parsed, LogOptions log, IReadOnlyList<string> named, TimeProvider time)
{
    /// <summary>The log that the page is for.</summary>
    public async ValueTask<PageLog> OpenMainAsync() => Show(await log.OpenAsync(parsed));

    /// <summary>Refuses a folder that was named and is none of an instance: nobody names one in order not to be compared with it.</summary>
    /// <exception cref="CommandException">There is no such folder, or no log in it.</exception>
    public async ValueTask RequireNamedAsync()
    {
        foreach (string folder in named)
        {
            if (!await places.IsThereAsync(folder))
            {
                throw new CommandException(CommandExit.NotFound,
                    $"There is no folder '{folder}': --peer takes the folder of an instance, as in --peer /backup/bank.");
            }

            if (!IsLog(folder))
            {
                throw new CommandException(CommandExit.NotFound,
                    $"There is no log in '{folder}': --peer takes the folder of one instance, the one with log/ and checkpoints/.");
            }
        }
    }

    /// <summary>Names of instances whose logs lie at hand.</summary>
    public IReadOnlyList<string> Names()
    {
        string? beside = Beside;
        IEnumerable<string> found = beside is null || !Directory.Exists(beside) ? []
            : Directory.EnumerateDirectories(beside).Where(IsLog).Select(Path.GetFileName).OfType<string>();
        return [.. found.Concat(named.Select(static folder =>
            Path.GetFileName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder))))).Distinct().Order(StringComparer.Ordinal)];
    }

    /// <summary>The log of another instance, as a page shows it; null when it is not at hand.</summary>
    public async ValueTask<PageLog?> OpenAsync(string instance) => await OpenLogAsync(instance) is { } log ? Show(log) : null;

    /// <summary>The log of another instance; null when it is not at hand.</summary>
    public async ValueTask<ReplayLog?> OpenLogAsync(string instance)
    {
        if (!InstanceName.IsValid(instance))
        {
            return null;
        }

        foreach (string folder in named)
        {
            ReplayLog candidate = await ReplayLog.OpenFolderAsync(folder, places.Environment);
            if (candidate.Instance == instance)
            {
                return candidate;
            }

            await candidate.DisposeAsync();
        }

        string? beside = Beside is { } root ? Path.Combine(root, instance) : null;
        try
        {
            return beside is not null
                ? IsLog(beside) ? await ReplayLog.OpenFolderAsync(beside, places.Environment) : null
                : await ReplayLog.OpenAsync(places.Store(parsed), instance, places.Log(parsed), places.Environment);
        }
        catch (Exception error) when (error is ReplayException or LogStoreException)
        {
            return null; // A folder that looks like a log, and an instance that this store does not hold.
        }
    }

    // The folder whose folders are logs; null when the store is not one of files.
    private string? Beside => log.Folder(parsed) is { } folder ? Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(folder))
        : places.Store(parsed) is var store && store.StartsWith("file:", StringComparison.Ordinal)
        ? Path.GetDirectoryName(places.Folder(parsed, log.Instance(parsed)))
        : null;

    private static bool IsLog(string folder) => Directory.Exists(Path.Combine(folder, "log"));

    private PageLog Show(ReplayLog opened) =>
        new(opened.View, new PageLogOptions { Limit = opened.IsLive ? ReadLimit.Durable : ReadLimit.Everything, Time = time });
}
