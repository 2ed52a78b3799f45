namespace Ambrosia.Simulation.Tests;

/// <summary>The observer's part that deals with versions of an app: which one executes what.</summary>
internal sealed partial class SimOracle
{
    /// <summary>The version that has executed the newest message.</summary>
    public int VersionOf(string instance) => History(instance).Versions[^1].Version;

    /// <summary>An app of another version is about to attach: from here on the instance may become that.</summary>
    public void UpgradeBegins(string instance, int goal) => History(instance).Goal = goal;

    /// <summary>
    /// Somebody is about to execute a record. Whoever does, ever, is of the same version; another one comes only if somebody asked for it. A follower may execute a few records as the
    /// version before, because it has not yet read that there was an upgrade: what it does is seen by nobody.
    /// </summary>
    /// <returns>False if it is such a follower.</returns>
    public bool IsRightVersion(AppLife life, ulong lsn, int version)
    {
        InstanceHistory history = History(life.Instance);
        if (history.VersionAt(lsn) == version)
        {
            return true;
        }

        if (version == history.Goal && lsn > history.Versions[^1].From && version != history.Versions[^1].Version)
        {
            print?.Invoke($"{life.Instance}: is version {version} from {lsn} on");
            report.Sometimes(Sighting.VersionChanged);
            history.Versions.Add((lsn, version));
            RemoveAll(history.States, place => place.Lsn >= lsn);
            return true;
        }

        Require(!life.ActsAsPrimary, $"{life.Instance}: record {lsn} is executed by version {version} of the app, and it is version {history.VersionAt(lsn)}'s (G13)");
        return false;
    }
}
