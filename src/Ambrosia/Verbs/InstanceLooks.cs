using System.Collections.Concurrent;
using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Coordinator.Operations;
using Ambrosia.LogStore.Catalog;

namespace Ambrosia.Cli.Verbs;

/// <summary>Looks at all instances: those of the catalog, and those that serve on this machine.</summary>
internal sealed class InstanceLooks(Places places)
{
    private const int AtOnce = 16;

    /// <summary>What each instance says of itself, by its name.</summary>
    /// <exception cref="TokenRefusedException">Nobody answered, and somebody asked for another token.</exception>
    public async Task<Dictionary<string, TopLook>> AtAllAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ICatalog catalog = places.OpenCatalog(parsed);
        // Which entries are damaged 'ambrosia doctor' says; those that serve here are looked at all the same.
        IEnumerable<string> names = (await catalog.ListAsync([])).Select(static row => row.Entry.Instance);
        var found = new ConcurrentDictionary<string, TopLook>(StringComparer.Ordinal);
        TokenRefusedException? refused = null;
        var options = new ParallelOptions { MaxDegreeOfParallelism = AtOnce, CancellationToken = cancellationToken };
        await Parallel.ForEachAsync(names.Union(places.Serving(parsed), StringComparer.Ordinal), options, async (name, stop) =>
        {
            CoordinatorStatus? status = null;
            try
            {
                using AdminClient admin = await places.ConnectAsync(parsed, name);
                status = await admin.TryStatusAsync(stop);
            }
            catch (TokenRefusedException refusal)
            {
                refused = refusal; // With --admin everybody's row asks at one address, whose token is that of one instance.
            }
            catch (IOException)
            {
                // Its log cannot be read, so its coordinator cannot be found. Its row has no figures; the others have theirs.
            }

            status = status?.Instance == name ? status : null;
            found[name] = new TopLook(status, status is null ? await SilenceAsync(parsed, name, catalog) : "");
        });
        return refused is null || found.Values.Any(static look => look.Status is not null)
            ? new Dictionary<string, TopLook>(found, StringComparer.Ordinal)
            : throw refused;
    }

    // Why nobody answers: without a lock on its log nobody runs it.
    private async Task<string> SilenceAsync(ParseResult parsed, string instance, ICatalog catalog)
    {
        try
        {
            string store = places.Store(parsed);
            InstanceFacts facts = await InstanceFacts.ReadAsync(instance, store, places.Log(parsed), catalog, places.Environment);
            return facts.State == "stopped" ? facts.State : "no answer";
        }
        catch (IOException)
        {
            return "no answer"; // What is wrong with its log 'ambrosia doctor' says.
        }
    }
}
