using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Context;

/// <summary>Log events of the core: 1300 to 1399 life of an instance, 1400 to 1499 peers, 1500 to 1599 the app.</summary>
internal static partial class CoreLog
{
    [LoggerMessage(1300, LogLevel.Information, "{Instance} starts for the first time")]
    public static partial void FirstStart(ILogger logger, string instance);

    [LoggerMessage(1301, LogLevel.Information, "{Instance} found its checkpoint at {Checkpoint} and log up to {Last}; epoch {Epoch}")]
    public static partial void Recovered(ILogger logger, string instance, ulong checkpoint, ulong last, ulong epoch);

    [LoggerMessage(1307, LogLevel.Debug, "{Instance} opened epoch {Epoch}; {TornBytes} bytes of an interrupted write were cut")]
    public static partial void EpochOpened(ILogger logger, string instance, ulong epoch, long tornBytes);

    [LoggerMessage(1308, LogLevel.Warning, "{Instance} could not write its address to the catalog, tries again: {Reason}")]
    public static partial void CatalogFailed(ILogger logger, string instance, string reason);

    [LoggerMessage(1320, LogLevel.Warning, "IC-3016 {Instance} had another log until now, with id {Other}; this one has id {Id} "
        + "| {Location} | that log was not touched, but what peers send from here on comes to this one "
        + "| if that log still exists (one in memory does not), stop this process at once and compare --store with that of the starts "
        + "before")]
    public static partial void OtherLog(ILogger logger, string instance, string other, string id, string location);

    [LoggerMessage(1302, LogLevel.Information, "{Instance} waits for its app at {Address}")]
    public static partial void WaitingForApp(ILogger logger, string instance, string address);

    [LoggerMessage(1303, LogLevel.Information, "{Instance} is {Role} in epoch {Epoch}, ready after {Milliseconds:F0} ms; log: {Location}; "
        + "{Build}admin: {Admin}; page: {Page}")]
    public static partial void Stands(
        ILogger logger, string instance, string role, ulong epoch, double milliseconds, string location, string build, string admin,
            string page);

    [LoggerMessage(1318, LogLevel.Warning,
        "IC-3013 instance {Instance} is held by {Holder} | {Location} | nothing was changed; this one waits, and serves when that one ends "
        + "| stop that process or this one, or name another instance (--instance-name)")]
    public static partial void HeldElsewhere(ILogger logger, string instance, string holder, string location);

    [LoggerMessage(1309, LogLevel.Information, "{Instance} is served by another replica: this one follows its log from {Checkpoint} on")]
    public static partial void Follows(ILogger logger, string instance, ulong checkpoint);

    [LoggerMessage(1310, LogLevel.Information, "{Instance}: the primary has gone; this replica is promoted after {Lsn}")]
    public static partial void Promoted(ILogger logger, string instance, ulong lsn);

    [LoggerMessage(1311, LogLevel.Warning, "IC-3008 the primary has shown no sign of life for {Seconds:F0} s (--takeover-after) | "
        + "{Holder} | its process was ended, its lock is free | find out what stopped it")]
    public static partial void PrimaryEnded(ILogger logger, string holder, double seconds);

    [LoggerMessage(1312, LogLevel.Warning, "IC-3009 the primary has shown no sign of life for {Seconds:F0} s (--takeover-after), and its "
        + "process cannot be ended from here | {Holder} | nothing was changed | end that process where it runs")]
    public static partial void PrimaryBeyondReach(ILogger logger, string holder, double seconds);

    [LoggerMessage(1313, LogLevel.Information, "{Instance} is served elsewhere: this process asks for its place")]
    public static partial void AsksForPlace(ILogger logger, string instance);

    [LoggerMessage(1314, LogLevel.Information, "{Instance}: another process asks for this one's place and gets it")]
    public static partial void HandsOver(ILogger logger, string instance);

    [LoggerMessage(1316, LogLevel.Information, "{Instance}: the place is left to the process that asks for it")]
    public static partial void LeavesPlace(ILogger logger, string instance);

    [LoggerMessage(1315, LogLevel.Warning, "{Reason}; its app has to begin again")]
    public static partial void AppBeginsAgain(ILogger logger, string reason);

    [LoggerMessage(1304, LogLevel.Debug, "Checkpoint at {Lsn} is durable: {AppBytes} bytes of the app")]
    public static partial void CheckpointTaken(ILogger logger, ulong lsn, long appBytes);

    [LoggerMessage(1305, LogLevel.Warning, "Checkpoint at {Lsn} was not written, the older ones stay: {Reason}")]
    public static partial void CheckpointFailed(ILogger logger, ulong lsn, string reason);

    [LoggerMessage(1319, LogLevel.Warning, "The checkpoint of this stop was not ready within {Seconds} s (--checkpoint-on-stop): the next "
        + "start executes again what followed the last one")]
    public static partial void NoCheckpointOnStop(ILogger logger, double seconds);

    [LoggerMessage(1306, LogLevel.Debug, "{Instance} closes its connections and its log")]
    public static partial void Stopping(ILogger logger, string instance);

    [LoggerMessage(1400, LogLevel.Debug, "Input from {Peer} connected: epoch {Epoch}, generation {Generation}, resumes after {Durable}")]
    public static partial void InputConnected(ILogger logger, string peer, ulong epoch, ulong generation, string durable);

    [LoggerMessage(1401, LogLevel.Debug, "Output to {Peer} connected: its epoch {Epoch}, resumes after {Durable}")]
    public static partial void OutputConnected(ILogger logger, string peer, ulong epoch, string durable);

    [LoggerMessage(1402, LogLevel.Information, "Output to {Peer} waits: {Reason}")]
    public static partial void OutputWaiting(ILogger logger, string peer, string reason);

    [LoggerMessage(1403, LogLevel.Warning, "{Peer} at {Address} was refused: {Code} {Reason}")]
    public static partial void PeerRefused(ILogger logger, string peer, string address, string code, string reason);

    [LoggerMessage(1404, LogLevel.Warning, "{Peer} at {Address} broke the protocol, connection closed: {Reason}")]
    public static partial void PeerOffended(ILogger logger, string peer, string address, string reason);

    [LoggerMessage(1405, LogLevel.Warning, "{Peer} has been silent for three heartbeats, connection closed")]
    public static partial void PeerSilent(ILogger logger, string peer);

    [LoggerMessage(1406, LogLevel.Error, "IC-2020 {Peer} is at message {Has} of this instance but has confirmed {Confirmed} before: its "
        + "log was rolled back, or its folder is an old copy. Nothing is sent to it until that is resolved")]
    public static partial void PeerLogOlder(ILogger logger, string peer, ulong has, ulong confirmed);

    [LoggerMessage(1407, LogLevel.Error, "{Peer} says of this instance: {Reason}")]
    public static partial void PeerAccuses(ILogger logger, string peer, string reason);

    [LoggerMessage(1408, LogLevel.Debug, "{Peer} is answered when what came before is durable: {Accepted} was accepted, {Durable} is "
        + "durable")]
    public static partial void InputDrains(ILogger logger, string peer, string accepted, string durable);

    [LoggerMessage(1409, LogLevel.Error,
        "IC-3012 {Evidence}, but the lease of this instance is proved, and the catalog knows of no successor | {Instance} "
        + "| nothing is sent to it, everything else goes on | find out whether {Destination} lies, or whether a copy of this instance "
        + "runs elsewhere")]
    public static partial void AccusedWrongly(ILogger logger, string evidence, string instance, string destination);

    [LoggerMessage(1411, LogLevel.Error,
        "IC-6004 {Destination} claims to have message {Claimed} of {Instance}, whose log brings forth {Most} | {Instance} | nothing is "
            + "sent to it, everything "
        + "else goes on | compare both logs (ambrosia log verify --peer): if the folder of {Instance} is an older copy, stop it and "
        + "restore the newest")]
    public static partial void ClaimsTooMuch(ILogger logger, string destination, ulong claimed, string instance, ulong most);

    [LoggerMessage(1410, LogLevel.Information, "Input from {Peer} lost: {Reason}")]
    public static partial void InputLost(ILogger logger, string peer, string reason);

    [LoggerMessage(1500, LogLevel.Warning, "An app was refused: {Code} {Reason}")]
    public static partial void AppRefused(ILogger logger, string code, string reason);

    [LoggerMessage(1501, LogLevel.Error, "The app broke the protocol, its connection is closed: {Reason}")]
    public static partial void AppOffended(ILogger logger, string reason);

    [LoggerMessage(1530, LogLevel.Information, "The app's link broke: {Reason}")]
    public static partial void AppLinkBroke(ILogger logger, string reason);

    [LoggerMessage(1531, LogLevel.Warning,
        "Names of methods of {Instance} could not be kept beside its log: {Reason}. Nothing else needs them")]
    public static partial void ContractNotKept(ILogger logger, string instance, string reason);

    [LoggerMessage(1502, LogLevel.Information, "The app of {Instance} has gone; waiting for it to come back")]
    public static partial void AppLeft(ILogger logger, string instance);

    [LoggerMessage(1504, LogLevel.Warning, "The app ended by itself ({How}) somewhere between {First} and {Last}: its next life gets "
        + "these messages one by one")]
    public static partial void AppDiedSomewhere(ILogger logger, string how, string first, string last);

    [LoggerMessage(1505, LogLevel.Warning, "The app ended by itself ({How}) while it executed {Message}, {Deaths} times running")]
    public static partial void AppDiedIn(ILogger logger, string how, string message, int deaths);

    [LoggerMessage(1506, LogLevel.Error, "IC-1036 {Text}")]
    public static partial void OnHold(ILogger logger, string text);

    [LoggerMessage(1507, LogLevel.Warning, "The hold because of {Message} has ended: {Reason}")]
    public static partial void HoldReleased(ILogger logger, string message, string reason);

    [LoggerMessage(1508, LogLevel.Warning, "Message {Message} was quarantined by {By}: the app will not get it again")]
    public static partial void Quarantined(ILogger logger, string message, string by);

    [LoggerMessage(1509, LogLevel.Error, "{Reason}")]
    public static partial void NotQuarantined(ILogger logger, string reason);

    [LoggerMessage(1510, LogLevel.Warning, "Dead letter {Message} was logged once more as a new input")]
    public static partial void Redriven(ILogger logger, string message);

    [LoggerMessage(1511, LogLevel.Warning, "Dead letter {Message} was dropped")]
    public static partial void LetterDropped(ILogger logger, string message);

    [LoggerMessage(1512, LogLevel.Warning, "IC-1038 the app has been in one turn for {Seconds:F0} s: {Message}")]
    public static partial void HandlerStuck(ILogger logger, string message, double seconds);

    [LoggerMessage(1525, LogLevel.Warning, "IC-1038 the app's process has been stopped, and not ended, for {Seconds:F0} s")]
    public static partial void AppStopped(ILogger logger, double seconds);

    [LoggerMessage(1535, LogLevel.Warning, "IC-1038 the app has nothing to execute and has not answered for {Seconds:F0} s: its process is "
        + "stopped, or nobody reads at its end")]
    public static partial void AppSilent(ILogger logger, double seconds);

    [LoggerMessage(1513, LogLevel.Information, "The app moves again: {Message}")]
    public static partial void HandlerMoved(ILogger logger, string message);

    [LoggerMessage(1536, LogLevel.Information, "The app answers again")]
    public static partial void AppAnswers(ILogger logger);

    [LoggerMessage(1514, LogLevel.Error, "The app was ended after {Seconds:F0} s in one turn (--handler-deadline): {Message}")]
    public static partial void HandlerEnded(ILogger logger, string message, double seconds);

    [LoggerMessage(1515, LogLevel.Error,
        "IC-2111 held at both limits: the app waits for {Destinations} to take what it sends (--max-spill), and what arrives waits for "
            + "the app (--max-lag) | {Instance} | nothing is lost | see whether they run; if they wait for this instance in turn, restart "
            + "it with a larger --max-spill")]
    public static partial void HeldAtBothLimits(ILogger logger, string destinations, string instance);

    [LoggerMessage(1524, LogLevel.Warning,
        "IC-2112 the app waits, because what it has sent to {Destinations} uses up that destination's share of --max-spill | {Instance} "
        + "| nothing is lost, and it goes on when some of that was taken | start the destination, or restart this instance with a larger "
        + "--max-spill")]
    public static partial void ShareUsedUp(ILogger logger, string destinations, string instance);

    [LoggerMessage(1532, LogLevel.Warning,
        "IC-2113 {Destination} has not answered for {Seconds:F0} s (--drop-outputs-after): {Messages} messages and {Impulses} impulses "
        + "to it were dropped, up to message {Through}, {Calls} of them calls that await an answer | {Instance} "
        + "| they stand in {File}, and {Destination} has executed none of those that it did not confirm, unless its own log says so "
        + "| 'ambrosia deadletters dropped {Instance}' lists them; a call that awaits an answer waits on")]
    public static partial void OutputsDropped(
        ILogger logger, string destination, double seconds, long messages, long impulses, ulong through, long calls, string instance,
        string file);

    [LoggerMessage(1533, LogLevel.Warning,
        "IC-2114 {Peer} has dropped messages {First} to {Last} while this instance was away: these {Count} will never come | {Peer} "
        + "| that is logged, and what follows is executed | {Peer} keeps them in its folder of dropped outputs")]
    public static partial void GapAccepted(ILogger logger, string peer, ulong first, ulong last, ulong count);

    [LoggerMessage(1534, LogLevel.Warning,
        "IC-2115 outputs to {Destination} cannot be dropped, because they cannot be kept in {Folder}: {Reason} | {Instance} "
        + "| nothing is lost, the app waits | make room there; it is tried again in {Seconds:F0} s")]
    public static partial void OutputsNotDropped(
        ILogger logger, string destination, string folder, string reason, double seconds, string instance);

    [LoggerMessage(1516, LogLevel.Information, "{Instance} is not held at both limits any more")]
    public static partial void LimitsMoved(ILogger logger, string instance);

    [LoggerMessage(1517, LogLevel.Information, "The app's state was upgraded from {From} to {To} after record {Lsn}")]
    public static partial void Upgraded(ILogger logger, string from, string to, ulong lsn);

    [LoggerMessage(1518, LogLevel.Error, "IC-5003 the upgrade failed: {Reason}")]
    public static partial void UpgradeFailed(ILogger logger, string reason);

    [LoggerMessage(1526, LogLevel.Warning, "The replica that makes the checkpoints has not stepped back within {Seconds:0.#} s ({Holder}): "
        + "no other version or build acts before; end it if it does not move")]
    public static partial void CheckpointerStays(ILogger logger, string holder, double seconds);

    [LoggerMessage(1519, LogLevel.Information, "An app of another build follows the log, to take the place of the one that is attached")]
    public static partial void UpgradeBegins(ILogger logger);

    [LoggerMessage(1520, LogLevel.Debug, "Calls are suspended in methods that the new version does not have; the upgrade is tried again: "
        + "{Reason}")]
    public static partial void UpgradeWaits(ILogger logger, string reason);

    [LoggerMessage(1521, LogLevel.Information, "The new app acts, {Milliseconds:F0} ms after the old one was held")]
    public static partial void CutOver(ILogger logger, double milliseconds);

    [LoggerMessage(1522, LogLevel.Debug, "Upgrade: {Step}, {Milliseconds:F1} ms after the old app was held")]
    public static partial void UpgradeStep(ILogger logger, string step, double milliseconds);

    [LoggerMessage(1523, LogLevel.Warning,
        "IC-6003 a replay sent other contents | {Instance}, record {Lsn}, the {Count}. since the start | the log is intact, and what was "
            + "logged first counts | find what is not deterministic: clocks, random numbers, threads, order of enumeration; "
            + "--on-content-divergence stop ends the instance instead")]
    public static partial void ContentsDiffered(ILogger logger, string instance, ulong lsn, long count);

    [LoggerMessage(1503, LogLevel.Warning, "A handler threw at {Lsn}:{Index}, method {Method}: {Text}")]
    public static partial void HandlerFaulted(ILogger logger, ulong lsn, ulong index, long method, string text);
}
