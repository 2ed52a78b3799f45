using Ambrosia.Primitives;

namespace Ambrosia.Simulation.Tests;

/// <summary>The observer's part that deals with versions of an app: which one executes what.</summary>
internal sealed partial class SimOracle
{
    /// <summary>The version that executes what comes next.</summary>
    public int VersionOf(string instance) => History(instance).Versions.Newest;

    /// <summary>Somebody wants an instance to become another version: from here on it may.</summary>
    public void UpgradeBegins(string instance, int goal) =>
        History(instance).Asked[goal] = History(instance).Asked.GetValueOrDefault(goal) + 1;

    /// <summary>An app has told its coordinator that it acts: what its state has gone through has happened, and stays so.</summary>
    public void Acts(AppLife life)
    {
        Delays.Acts(life.Instance);
        InstanceHistory history = History(life.Instance);
        if (life.Lineage.LeavesBehind(history.Versions) is { } behind)
        {
            Change(life, history, behind, life.Lineage);
        }
    }

    /// <summary>
    /// A record is about to be executed. Each life that does so, ever, has a state that was converted after the same records before; one
    /// more conversion comes only if somebody asked for it, and if no app that acts has executed anything behind it without. A follower may
    /// go on for a few records with the version before, because it has not yet read that there was an upgrade: what it does is seen by
    /// nobody.
    /// </summary>
    /// <returns>False if it is such a follower.</returns>
    public bool IsRightVersion(AppLife life, ulong lsn, int version)
    {
        InstanceHistory history = History(life.Instance);
        Lineage theirs = life.Lineage.Before(lsn);
        Require(theirs.Newest == version,
            $"{life.Instance}: record {lsn} is executed by version {version} of the app, with a state of {theirs} (G13)");
        if (!theirs.IsSame(history.Versions.Before(lsn)))
        {
            if (theirs.LeavesBehind(history.Versions) is not { } behind)
            {
                Require(!life.ActsAsPrimary,
                    $"{life.Instance}: record {lsn} is executed with a state of {theirs}, and the instance is {history.Versions} (G13)");
                return false;
            }

            Change(life, history, behind, theirs);
        }

        history.ActedThrough = life.ActsAsPrimary ? Math.Max(history.ActedThrough, lsn) : history.ActedThrough;
        return true;
    }

    private void Change(AppLife life, InstanceHistory history, ulong behind, Lineage to)
    {
        print?.Invoke($"{life.Instance}: is {to}");
        Require(history.ActedThrough <= behind,
            $"{life.Instance}: is {to}, and an app that acts has executed {history.ActedThrough} as {history.Versions} (G13)");
        Require(to.CountOf(to.Newest) <= history.Asked.GetValueOrDefault(to.Newest),
            $"{life.Instance}: is {to}, which nobody asked for (G13)");
        report.Sometimes(Sighting.VersionChanged);
        if (to.Newest < history.Versions.Newest)
        {
            report.Sometimes(Sighting.VersionWentBack);
        }

        history.Versions = to;
        RemoveAll(history.States, place => place.Lsn > behind);
    }
}
