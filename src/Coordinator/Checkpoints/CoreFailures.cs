using Ambrosia.Coordinator.Errors;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>The reasons for which a core gives up, in the words that people read.</summary>
internal static class CoreFailures
{
    /// <summary>Throws unless the store holds what <c>--start</c> expects.</summary>
    public static void RequireStart(InstanceSettings options, bool exists, string location)
    {
        if (options.InstanceName == OutsideNames.Caller)
        {
            throw new CoordinatorException(
                StoreErrors.BadInstanceName, $"the instance name {OutsideNames.Caller} is reserved", "calls from outside have this caller",
                "nothing was changed", "use another name");
        }

        if (options.Start == StartMode.Create && exists)
        {
            throw new CoordinatorException(
                ProcessErrors.InstanceExists, $"instance {options.InstanceName} exists already", location, "nothing was changed",
                "start with --start recover or auto, or erase it first");
        }

        if (options.Start == StartMode.Recover && !exists)
        {
            throw new CoordinatorException(
                ProcessErrors.InstanceMissing, $"instance {options.InstanceName} does not exist", location, "nothing was changed",
                "check --store and --instance-name, or start with --start create or auto");
        }

        if (options.LegacyUpgradeTo.Length > 0 && !exists)
        {
            throw new CoordinatorException(
                ProcessErrors.OptionsContradict, $"instance {options.InstanceName} does not exist: it has nothing to upgrade",
                "--legacy-upgrade-to", "nothing was started",
                "leave the option out at a first start");
        }
    }

    public static CoordinatorException Fenced(string evidence) => new(
        LeadershipErrors.Fenced, "fenced", evidence, "a newer epoch of this instance has the log; nothing of this one is accepted any more",
        "let it serve; this process may be started again as its replica");

    public static CoordinatorException Diverged(string instance, string destination, ulong replayed, ulong confirmed) => new(
        ReplayErrors.FewerThanPeerLogged, "replay diverged",
        $"{instance}: replay sent {Counted.Of(replayed, "message")} to {destination}, which has logged {confirmed}",
        "the log is intact; nothing more is sent",
        "if the folder is an older copy, restore the newest; else run the same build as before, or find what is not deterministic");

    public static CoordinatorException ReplicaTaken(string instance, int replica, string? holder, string location) => new(
        LeadershipErrors.ReplicaNumberTaken,
        $"replica {replica} of {instance} runs already{(holder is null ? "" : $": {holder} has its number")}",
        location, "the one that runs was not disturbed",
        "give each replica a number of its own with --replica-id, or stop the other one");

    public static CoordinatorException FellBehind(string instance, ulong lsn) => new(
        LeadershipErrors.FellTooFarBehind, "this replica fell behind the log", $"{instance}: record {lsn} is no longer kept",
        "the primary serves, and its log is untouched",
        "start this replica again: it begins with the newest checkpoint");

    public static CoordinatorException Upgraded(string instance, VersionChange mark) => new(
        LeadershipErrors.UpgradedMeanwhile, "the instance was upgraded, and this replica has followed as the old version",
        $"{instance}: from {mark.From} to {mark.To} at record {mark.At.Value}",
        "the primary serves as the new version, and its log is untouched",
        "start this replica again, with an app that knows the new version: it begins with the new version's checkpoint");

    public static CoordinatorException OtherBuild(string instance, BuildStep mark, string own) => new(
        LeadershipErrors.BuildChanged, "another build of the app executes this log now, and this replica has begun before that",
        $"{instance}: build {mark.Build} after record {mark.At}; this replica's app: {own}",
        "the primary serves, and its log is untouched",
        "start this replica again, best with the app of that build: it begins with that build's checkpoint");

    public static CoordinatorException SurvivedQuarantined(string instance, MessagePosition message) => new(
        LeadershipErrors.SurvivedQuarantined, "this replica's app has survived a message that was then quarantined",
        $"{instance}: message {message}", "nothing of what it sent has left; the log is untouched",
        "start this replica again: it begins with the newest checkpoint, without that message");

    public static CoordinatorException AppGone(string instance) => new(
        ProcessErrors.AppGone, $"the app of {instance} has gone", "its connection ended", "everything acknowledged is in the log",
        "start both again: it recovers");
}
