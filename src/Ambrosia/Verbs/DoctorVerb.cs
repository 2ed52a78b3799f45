using System.CommandLine;
using System.Globalization;
using System.Text;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.History;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia doctor</c></summary>
internal sealed class DoctorVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private const long FewBytes = 1L << 30;

    public Command Build()
    {
        var command = new Command("doctor", "Examine a set-up and say what is wrong with it: places, coordinator, catalog, every "
            + "instance. Ends with 65 when something is.\n\nExample: ambrosia doctor --store file:/var/lib/ambrosia");
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        List<Finding> findings = [SystemCalls(), Coordinator(), await StoreAsync(parsed)];
        findings.AddRange(await CatalogAsync(parsed, cancellationToken));
        if (parsed.GetValue(json))
        {
            terminal.Json(findings);
        }
        else
        {
            terminal.Table(["VERDICT", "WHAT", "FOUND"],
                [.. findings.Select(static finding => new[] { finding.Verdict, finding.What, finding.Text })]);
        }

        return (int)(findings.Exists(static finding => finding.Verdict == "wrong") ? CommandExit.Different : CommandExit.Done);
    }

    private static Finding SystemCalls() => Platform.UsesLinuxCalls
        ? Finding.Ok("platform", $"{Environment.OSVersion.VersionString}, .NET {Environment.Version}")
        : Platform.IsKnown
            ? Finding.Warning("platform", $"managed fallbacks ({Platform.Reason}): {Platform.Limits}")
            : Finding.Wrong("platform", "file: stores need Linux, Windows or macOS; here only memory: works");

    private static Finding Coordinator()
    {
        string given = CoordinatorFile.Path(Environment.GetEnvironmentVariable);
        return File.Exists(given)
            ? Finding.Ok("coordinator", given)
            : Finding.Wrong("coordinator", $"there is none at {given}; 'ambrosia run' needs it: name one by AMBROSIA_COORDINATOR");
    }

    private async Task<Finding> StoreAsync(ParseResult parsed)
    {
        string store = places.Store(parsed);
        if (!store.StartsWith("file:", StringComparison.Ordinal))
        {
            return await JudgeServiceAsync(parsed, store);
        }

        string root = LogStores.RootOf(store);
        LogStore.Files.VolumeStatus volume;
        try
        {
            if (!await places.IsThereAsync(root))
            {
                return Finding.Warning("store", $"{root} does not exist yet; the first coordinator makes it");
            }

            volume = await places.Environment.Files.VolumeAsync(root);
            _ = FoldersIn(parsed); // Which this user may read, or not.
        }
        catch (Exception error) when (error is LogStore.Files.FileFailedException or UnauthorizedAccessException)
        {
            return Finding.Wrong("store", $"{error.Message.TrimEnd('.')}: run this as the coordinator's user, or as root");
        }

        return volume switch
        {
            { IsNetwork: true } => Finding.Wrong("store", $"{root} lies on a network file system ({volume.Type}), where locks and syncs "
                + $"may not hold: use a local disk"),
            { FreeBytes: < FewBytes } => Finding.Wrong("store", string.Create(CultureInfo.InvariantCulture,
                $"{root} has {volume.FreeBytes >> 20} MiB left: make room before the log stops")),
            _ => Finding.Ok("store", string.Create(CultureInfo.InvariantCulture, $"{root}, {volume.FreeBytes >> 30} GiB free")),
        };
    }

    private async Task<Finding> JudgeServiceAsync(ParseResult parsed, string store)
    {
        try
        {
            // Nothing is touched there.
            await using ILogStorage storage = LogStores.Open(store, "doctor", places.Log(parsed), places.Environment);
            return Finding.Ok("store", $"{store} is no folder: see its instances");
        }
        catch (LogStoreException refused)
        {
            return Finding.Wrong("store", refused.Message);
        }
    }

    private async Task<List<Finding>> CatalogAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        try
        {
            await using ICatalog catalog = places.OpenCatalog(parsed);
            var damaged = new List<LogStoreException>();
            List<Finding> findings = await InstancesAsync(parsed, catalog, await catalog.ListAsync(damaged), cancellationToken);
            findings.AddRange(damaged.Select(static failure => Finding.Wrong("catalog", failure.Message)));
            return findings;
        }
        catch (IOException error)
        {
            return [Finding.Wrong("catalog", error.Message)];
        }
    }

    private async Task<List<Finding>> InstancesAsync(
        ParseResult parsed, ICatalog catalog, IReadOnlyList<CatalogRow> rows, CancellationToken cancellationToken)
    {
        List<Finding> findings = [Finding.Ok("catalog", $"{Counted.Of(rows.Count, "instance")} in {places.Catalog(parsed)}")];
        foreach (IGrouping<string, CatalogRow> shared in rows.GroupBy(static row => row.Entry.PeerAddress)
            .Where(static group => group.Count() > 1))
        {
            findings.Add(Finding.Warning("catalog", $"{string.Join(" and ", shared.Select(static row => row.Entry.Instance))} have the "
                + $"same address {shared.Key}: one of the entries is old, and is corrected when its instance starts"));
        }

        IEnumerable<string> names = rows.Select(static row => row.Entry.Instance).Union(ReadableFoldersIn(parsed))
            .Union(places.Serving(parsed));
        foreach (string name in names.Order(StringComparer.Ordinal))
        {
            findings.Add(await InstanceAsync(parsed, catalog, name, cancellationToken));
        }

        return findings;
    }

    private string[] ReadableFoldersIn(ParseResult parsed)
    {
        try
        {
            return FoldersIn(parsed);
        }
        catch (UnauthorizedAccessException)
        {
            return []; // The store's own finding says so.
        }
    }

    private string[] FoldersIn(ParseResult parsed)
    {
        string store = places.Store(parsed);
        if (!store.StartsWith("file:", StringComparison.Ordinal) || !Directory.Exists(LogStores.RootOf(store)))
        {
            return [];
        }

        IEnumerable<string> folders = Directory.EnumerateDirectories(LogStores.RootOf(store)).Select(static path => Path.GetFileName(path));
        return [.. folders.Where(static name => InstanceName.IsValid(name))];
    }

    private async Task<Finding> InstanceAsync(ParseResult parsed, ICatalog catalog, string name, CancellationToken cancellationToken)
    {
        string what = $"instance {name}";
        if (Encoding.UTF8.GetByteCount(places.BindingSocket(parsed, name, null)) > UnixSocketGuard.MaxPathBytes)
        {
            return Finding.Wrong(what,
                $"its socket's path is longer than {UnixSocketGuard.MaxPathBytes} bytes: set XDG_RUNTIME_DIR to a shorter folder");
        }

        try
        {
            InstanceFacts facts =
                await InstanceFacts.ReadAsync(name, places.Store(parsed), places.Log(parsed), catalog, places.Environment);
            if (await ExamineAsync(parsed, name) is { } wrong)
            {
                return Finding.Wrong(what, wrong);
            }

            using AdminClient admin = await places.ConnectAsync(parsed, name);
            CoordinatorStatus? live = await admin.TryStatusAsync(cancellationToken);
            string[] lost = live is not null ? RefusedPeers(live) : facts.State == "stopped" ? await LostBesideAsync(parsed, name) : [];
            return lost.Length > 0 ? Finding.Wrong(what, string.Join("; ", lost)) : Judge(what, facts, live);
        }
        catch (IOException damage)
        {
            return Finding.Wrong(what, damage.Message);
        }
        catch (TokenRefusedException refused)
        {
            return Finding.Warning(what, refused.Message);
        }
    }

    /// <summary>What a start would refuse or warn of; the whole log is not read.</summary>
    private async Task<string?> ExamineAsync(ParseResult parsed, string name)
    {
        await using WriteAheadLog log = await LogView.OpenAsync(places.Store(parsed), name, places.Log(parsed), places.Environment);
        IReadOnlyList<LogStoreException> found = await log.ExamineAsync();
        return found.Count == 0 ? null : string.Join("; ", found.Select(static error => error.Message));
    }

    // It runs, and knows by what its peers said which of them it sends nothing to, or may not.
    private static string[] RefusedPeers(CoordinatorStatus live) =>
    [
        .. live.Outputs.Where(static output => !output.Connected && output.LastError.StartsWith("IC-", StringComparison.Ordinal))
            .Select(static output => $"to {output.Peer}: {output.LastError}"),
    ];

    /// <summary>What the logs of its peers in this store know and its own does not hold: it would be refused when it starts.</summary>
    private async Task<string[]> LostBesideAsync(ParseResult parsed, string name)
    {
        if (await OpenLogAsync(parsed, name) is not { } log)
        {
            return [];
        }

        await using (log)
        {
            var found = new LogVerification(log);
            await found.CompareAsync(peer => OpenLogAsync(parsed, peer));
            return [.. found.Damage];
        }
    }

    private async ValueTask<ReplayLog?> OpenLogAsync(ParseResult parsed, string name)
    {
        try
        {
            return InstanceName.IsValid(name)
                ? await ReplayLog.OpenAsync(places.Store(parsed), name, places.Log(parsed), places.Environment)
                : null;
        }
        catch (Exception error) when (error is ReplayException or LogStoreException)
        {
            return null; // An instance that this store does not hold, or whose own finding says what is wrong with it.
        }
    }

    private static Finding Judge(string what, InstanceFacts facts, CoordinatorStatus? live) => (facts, live) switch
    {
        ({ State: "absent" }, _) => Finding.Warning(what, "is in the catalog and has no log in this store: it lives elsewhere, or in "
            + "memory, or was removed by hand ('ambrosia catalog remove')"),
        (_, { Ready: false }) => Finding.Warning(what, $"{live.Role}: {live.NotReadyReason}"),
        ({ State: "running" }, null) =>
            Finding.Ok(what, $"running as process {facts.ProcessId}; it has no admin address that this user can find: name it "
            + $"with --admin"),
        ({ State: "running" }, _) when live!.Totals.HandlerFaults > 0 => Finding.Warning(what, $"{live.Role}; "
            + $"{Counted.Of(live.Totals.HandlerFaults, "handler has", "handlers have")} thrown since its start: its app's log tells what"),
        ({ State: "running" }, _) => Finding.Ok(what, $"{live!.Role}, epoch {live.Epoch}, durable to {live.Log.DurableLsn}"),
        ({ Checkpoints: 0 }, _) => Finding.Warning(what, "stopped before its first checkpoint; it begins afresh when it is started"),
        _ => Finding.Ok(what, $"stopped; {Counted.Of(facts.Checkpoints, "checkpoint")}, newest at {facts.CheckpointLsn}"),
    };
}
