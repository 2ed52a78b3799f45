using Microsoft.Extensions.Logging;

namespace Ambrosia;

/// <summary>Events of the binding: 3000 to 3999.</summary>
internal static partial class BindingLog
{
    [LoggerMessage(3001, LogLevel.Information, "{Instance} starts for the first time (epoch {Epoch})")]
    public static partial void FirstStart(ILogger logger, string instance, ulong epoch);

    [LoggerMessage(3002, LogLevel.Information, "{Instance} recovered in {Milliseconds:F0} ms: {Records} records, {Messages} messages "
        + "since its checkpoint (epoch {Epoch})")]
    public static partial void Recovered(ILogger logger, string instance, double milliseconds, long records, long messages, ulong epoch);

    [LoggerMessage(3003, LogLevel.Debug, "{Instance} saved its state: {Bytes} bytes after record {Lsn}")]
    public static partial void StateSaved(ILogger logger, string instance, long bytes, ulong lsn);

    [LoggerMessage(3004, LogLevel.Debug, "{Instance} loaded its state: {Bytes} bytes")]
    public static partial void StateLoaded(ILogger logger, string instance, long bytes);

    [LoggerMessage(3005, LogLevel.Information, "{Instance} leaves: {Reason}")]
    public static partial void Leaving(ILogger logger, string instance, string reason);

    [LoggerMessage(3006, LogLevel.Information, "{Instance} waits for its coordinator at {Address}")]
    public static partial void Waiting(ILogger logger, string instance, string address);

    [LoggerMessage(3007, LogLevel.Warning, "{Instance} lost its coordinator and waits for the next one: {Reason}")]
    public static partial void WaitsForNext(ILogger logger, string instance, string reason);

    [LoggerMessage(3041, LogLevel.Error, "{Instance} lost its coordinator and starts it again in {Seconds:0.0} s; nothing that was logged "
        + "is lost: {Reason}")]
    public static partial void CoordinatorRestarts(ILogger logger, string instance, double seconds, string reason);

    [LoggerMessage(3042, LogLevel.Critical, "{Instance} cannot go on: {Reason}")]
    public static partial void CannotGoOn(ILogger logger, string instance, string reason);

    [LoggerMessage(3043, LogLevel.Information, "{Instance} does not start: this process was started for another immortal "
        + "(AMBROSIA_SOCKET, AMBROSIA_INSTANCE_NAME)")]
    public static partial void StaysOut(ILogger logger, string instance);

    [LoggerMessage(3008, LogLevel.Debug, "{Instance}: coordinator {Path} started, process {ProcessId}")]
    public static partial void CoordinatorStarted(ILogger logger, string instance, string path, int processId);

    [LoggerMessage(3047, LogLevel.Warning, "{Instance} takes the portable coordinator: {Reason}")]
    public static partial void TakesPortable(ILogger logger, string instance, string reason);

    [LoggerMessage(EventId = 3009, Message = "Coordinator: {Line}")]
    public static partial void CoordinatorSaid(ILogger logger, LogLevel level, string line);

    [LoggerMessage(3012, LogLevel.Debug, "The app ends because of a failure")]
    public static partial void Ended(ILogger logger, Exception exception);

    [LoggerMessage(3013, LogLevel.Debug, "Timer {Timer} came due after the connection had ended")]
    public static partial void TimerTooLate(ILogger logger, long timer);

    [LoggerMessage(3014, LogLevel.Error, "{Instance} goes on without a checkpoint, so its log grows: {Error}")]
    public static partial void CannotSave(ILogger logger, string instance, string error);

    [LoggerMessage(3015, LogLevel.Warning, "A callback of the app on ImmortalContext.Stopping failed")]
    public static partial void StoppingFailed(ILogger logger, Exception exception);

    [LoggerMessage(3060, LogLevel.Warning, "A service that performed an effect could not be disposed of; the effect was performed")]
    public static partial void ScopeNotDisposed(ILogger logger, Exception exception);

    [LoggerMessage(3016, LogLevel.Information, "{Instance}: the state was converted from {From} to {To} after record {Lsn}")]
    public static partial void Upgraded(ILogger logger, string instance, string from, string to, ulong lsn);

    [LoggerMessage(3017, LogLevel.Information, "{Instance}: another app has taken this one's place; this process only keeps the "
        + "coordinator that it has started, until it is stopped")]
    public static partial void KeepsCoordinator(ILogger logger, string instance);

    [LoggerMessage(3010, LogLevel.Warning, "The handler of {Method} failed at {Position}: {Type}: {Error}{Frames}")]
    public static partial void HandlerFailed(ILogger logger, string method, string position, string type, string error, string frames);

    [LoggerMessage(3031, LogLevel.Warning, "Effect {Method} {Key} failed at attempt {Attempt} and is tried again: {Error}")]
    public static partial void EffectFailed(ILogger logger, string method, string key, int attempt, string error);

    [LoggerMessage(3032, LogLevel.Debug, "The outcome of effect {Key} came after the connection had ended")]
    public static partial void EffectTooLate(ILogger logger, string key);

    [LoggerMessage(3033, LogLevel.Information, "{Instance} stops while {Count} effects run: the next process performs them again")]
    public static partial void EffectsLeft(ILogger logger, string instance, int count);

    [LoggerMessage(3034, LogLevel.Warning, "{Instance}: {Error}")]
    public static partial void PerformerMissing(ILogger logger, string instance, string error);

    [LoggerMessage(3035, LogLevel.Error, "{Instance}: {Count} attempts to perform effects took too long and still run, the last one of "
        + "{Method}. No effect begins until one of them ends: pass EffectContext.Cancellation on to whatever waits")]
    public static partial void TooManyAbandoned(ILogger logger, string instance, int count, string method);

    [LoggerMessage(3036, LogLevel.Warning, "{Class}, which performed effects, could not be disposed of; what was performed counts")]
    public static partial void PerformerNotDisposed(ILogger logger, string @class, Exception exception);

    [LoggerMessage(3037, LogLevel.Error, "Effect {Method} {Key} is held: {Deaths} processes ended while it was performed. It is pending "
        + "and performed no more. 'ambrosia effects run {Instance} {Key}' tries it again, 'ambrosia effects fail {Instance} {Key}' gives "
        + "it up")]
    public static partial void EffectHeld(ILogger logger, string method, string key, int deaths, string instance);

    [LoggerMessage(3040, LogLevel.Error, "{Instance}: schedule '{Schedule}' does not run: {Trouble}")]
    public static partial void ScheduleInTrouble(ILogger logger, string instance, string schedule, string trouble);

    [LoggerMessage(3044, LogLevel.Warning, "{Instance}: {Count} occurrences of schedule '{Schedule}' were missed and are left out")]
    public static partial void OccurrencesLeftOut(ILogger logger, string instance, long count, string schedule);

    [LoggerMessage(3045, LogLevel.Debug, "A step of schedule {Schedule} came after the connection had ended")]
    public static partial void ScheduleTooLate(ILogger logger, string schedule);

    [LoggerMessage(3046, LogLevel.Warning, "{Instance}: {Position} ended without the call that it was to take down. {Advice}")]
    public static partial void NothingTakenDown(ILogger logger, string instance, string position, string advice);

    // Stack traces are for people who ask for them, not for every log.
    [LoggerMessage(3011, LogLevel.Debug, "The handler of {Method} failed at {Position}")]
    public static partial void HandlerFailedAt(ILogger logger, string method, string position, Exception exception);

    [LoggerMessage(3020, LogLevel.Information, "{Instance}: build {Build} after {Old}: {Differences}")]
    public static partial void OtherBuild(ILogger logger, string instance, string build, string old, string differences);

    [LoggerMessage(3021, LogLevel.Warning, "{Instance}: --accept {Accept}: build {Build} goes on where {Old} was, with all that differs")]
    public static partial void BuildAccepted(ILogger logger, string instance, string accept, string build, string old);

    [LoggerMessage(3022, LogLevel.Warning, "{Instance}: dotnet watch: message {At} is executed by other code than before: {Difference}")]
    public static partial void OtherCodeAccepted(ILogger logger, string instance, string at, string difference);

    [LoggerMessage(3023, LogLevel.Warning,
        "{Instance}: message {At} and those after it are executed again with other packages than before, "
        + "whose code is not compared: {Packages}")]
    public static partial void OtherPackages(ILogger logger, string instance, string at, string packages);

    [LoggerMessage(3024, LogLevel.Warning,
        "{Instance}: the state was converted after record {Record}, by a release that did not write down "
        + "which build executed what follows: that is executed again without a comparison of its code")]
    public static partial void UnknownBuildAfterUpgrade(ILogger logger, string instance, ulong record);
}
