using Ambrosia.Coordinator.Errors;
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
        if (options.Start == StartMode.Create && exists)
        {
            throw new CoordinatorException(
                "IC-1020", ExitCode.Configuration, $"instance {options.InstanceName} exists already", location, "nothing was changed",
                "start with --start recover or auto, or erase it first");
        }

        if (options.Start == StartMode.Recover && !exists)
        {
            throw new CoordinatorException(
                "IC-1021", ExitCode.Configuration, $"instance {options.InstanceName} does not exist", location, "nothing was changed",
                "check --store and --instance-name, or start with --start create or auto");
        }

        if (options.LegacyUpgradeTo.Length > 0 && !exists)
        {
            throw new CoordinatorException(
                "IC-1004", ExitCode.Configuration, $"instance {options.InstanceName} does not exist: it has nothing to upgrade",
                "--legacy-upgrade-to", "nothing was started",
                "leave the option out at a first start");
        }
    }

    public static CoordinatorException Fenced(string evidence) => new(
        "IC-3001", ExitCode.LeaseLost, "fenced", evidence, "a newer epoch of this instance has the log; nothing of this one is accepted any more",
        "let it serve; this process may be started again as its replica");

    public static CoordinatorException Diverged(string instance, string destination, ulong replayed, ulong confirmed) => new(
        "IC-6002", ExitCode.Diverged, "replay diverged",
        $"{instance}: replay sent {Counted.Of(replayed, "message")} to {destination}, which has logged {confirmed}",
        "the log is intact; nothing more is sent", "if the folder is an older copy, restore the newest; else run the same build as before, or find what is not deterministic");

    public static CoordinatorException ReplicaTaken(string instance, int replica, string? holder, string location) => new(
        "IC-3006", ExitCode.NumberTaken, $"replica {replica} of {instance} runs already{(holder is null ? "" : $": {holder} has its number")}",
        location, "the one that runs was not disturbed",
        "give each replica a number of its own with --replica-id, or stop the other one");

    public static CoordinatorException FellBehind(string instance, ulong lsn) => new(
        "IC-3007", ExitCode.LeaseLost, "this replica fell behind the log", $"{instance}: record {lsn} is no longer kept", "the primary serves, and its log is untouched",
        "start this replica again: it begins with the newest checkpoint");

    public static CoordinatorException Upgraded(string instance, UpgradeMark mark) => new(
        "IC-3010", ExitCode.LeaseLost, "the instance was upgraded, and this replica has followed as the old version", $"{instance}: from {mark.From} to {mark.To} at record {mark.At.Value}",
        "the primary serves as the new version, and its log is untouched", "start this replica again, with an app that knows the new version: it begins with the new version's checkpoint");

    public static CoordinatorException OtherBuild(string instance, BuildMark mark, string own) => new(
        "IC-3014", ExitCode.LeaseLost, "another build of the app executes this log now, and this replica has begun before that",
        $"{instance}: build {mark.Build} after record {mark.At}; this replica's app: {own}",
        "the primary serves, and its log is untouched",
        "start this replica again, best with the app of that build: it begins with that build's checkpoint");

    public static CoordinatorException SurvivedQuarantined(string instance, MessagePosition message) => new(
        "IC-3011", ExitCode.LeaseLost, "this replica's app has survived a message that was then quarantined", $"{instance}: message {message}", "nothing of what it sent has left; the log is untouched",
        "start this replica again: it begins with the newest checkpoint, without that message");

    public static CoordinatorException AppGone(string instance) => new(
        "IC-1030", ExitCode.AppGone, $"the app of {instance} has gone", "its connection ended", "everything acknowledged is in the log",
        "start both again: it recovers");
}
