namespace Ambrosia.CoordinatorHost.Options;

/// <summary>
/// What people who come from the original system write on its command line, and what it is called here. Names that are the same but for
/// their hyphens are understood.
/// </summary>
internal static class OriginalOptions
{
    private const string Registration =
        "nothing is registered beforehand: start the coordinator with --instance-name, --store, --receive-port and --send-port";

    private static readonly Dictionary<string, string> s_answers = new(StringComparer.OrdinalIgnoreCase)
    {
        ["i"] = "write --instance-name NAME",
        ["p"] = "write --peer-address tcp:0.0.0.0:PORT",
        ["port"] = "write --peer-address tcp:0.0.0.0:PORT",
        ["ip"] = "write --advertise tcp:HOST:PORT",
        ["IPAddr"] = "write --advertise tcp:HOST:PORT",
        ["rp"] = "write --receive-port PORT",
        ["sp"] = "write --send-port PORT",
        ["l"] = "write --store file:/FOLDER",
        ["log"] = "write --store file:/FOLDER",
        ["logLocation"] = "write --store file:/FOLDER",
        ["aa"] = "write --replica-id NUMBER for each replica",
        ["activeActive"] = "write --replica-id NUMBER for each replica",
        ["r"] = "write --replica-id NUMBER",
        ["replicaNum"] = "write --replica-id NUMBER",
        ["cs"] = "write --start auto, create or recover",
        ["createService"] = "write --start auto, create or recover",
        ["npl"] = "write --no-log",
        ["noPersistLogs"] = "write --no-log",
        ["lts"] = "write --checkpoint-every SIZE",
        ["logTriggerSize"] = "write --checkpoint-every SIZE",
        ["cv"] = "leave it out: the log says of which version the state is",
        ["currentVersion"] = "leave it out: the log says of which version the state is",
        ["uv"] = "write --legacy-upgrade-to VERSION",
        ["upgradeVersion"] = "write --legacy-upgrade-to VERSION",
        ["an"] = "write --peer-cert-file, --peer-key-file and --peer-trusted-ca-file",
        ["assemblyName"] = "write --peer-cert-file, --peer-key-file and --peer-trusted-ca-file",
        ["ac"] = "write --peer-cert-file, --peer-key-file and --peer-trusted-ca-file",
        ["assemblyClass"] = "write --peer-cert-file, --peer-key-file and --peer-trusted-ca-file",
        ["RegisterInstance"] = Registration,
        ["AddReplica"] = Registration + ", and --replica-id",
        ["DebugInstance"] = "use 'ambrosia debug NAME'",
    };

    /// <summary>What to write instead of an argument of the original's; null if it is none.</summary>
    public static string? Answer(string argument) => s_answers.GetValueOrDefault(argument.Split('=')[0].TrimStart('-'));
}
