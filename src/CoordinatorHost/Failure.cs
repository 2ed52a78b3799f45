using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Errors;
using Ambrosia.CoordinatorHost.Logging;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CoordinatorHost;

/// <summary>The one place where an exception becomes an exit code and a line.</summary>
public static class Failure
{
    /// <summary>Writes what happened, and says how the process is to end.</summary>
    public static ExitCode Report(ILogger logger, Exception error)
    {
        switch (error)
        {
            case CoordinatorException known:
                CoordinatorLog.CannotGoOn(logger, known.Code, WithoutCode(known.Code, known.Message), DetailOf(logger, error));
                return known.ExitCode;
            case LogStoreException known:
                CoordinatorLog.CannotGoOn(logger, known.Code, WithoutCode(known.Code, known.Message), DetailOf(logger, error));
                return (ExitCode)known.ExitCode;
            case FileFailedException file:
                string advice = ErrnoAdvice.Or("check the folder, its device and this user's rights", file);
                CoordinatorLog.CannotGoOn(
                    logger,
                    "IC-1040",
                    $"a file cannot be used: {file.Message} | store or catalog | everything acknowledged is in the log | {advice}",
                    DetailOf(logger, error));
                return ExitCode.StoreNotUsable;
            case PlatformNotSupportedException platform when platform.Message.StartsWith("IC-2043", StringComparison.Ordinal):
                CoordinatorLog.CannotGoOn(logger, "IC-2043", WithoutCode("IC-2043", platform.Message), DetailOf(logger, error));
                return ExitCode.StoreNotUsable;
            default:
                CoordinatorLog.CannotGoOn(
                    logger,
                    "IC-1090",
                    $"mistake in the coordinator: {error.GetType().Name}: {error.Message} | coordinator | everything acknowledged is in the log | start it again, and report this with --log-level debug",
                    DetailOf(logger, error));
                return ExitCode.Internal;
        }
    }

    /// <summary>
    /// The line of a log that ends the process by itself, without unwinding anything: the same event as <see cref="Report"/> writes.
    /// </summary>
    public static LogLine LineOf(string failure, TimeProvider time)
    {
        string[] words = failure.Split(' ', 2);
        bool coded = words.Length == 2 && words[0].StartsWith("IC-", StringComparison.Ordinal);
        return new LogLine(
            time.GetLocalNow(),
            LogLevel.Critical,
            new EventId(1002, nameof(CoordinatorLog.CannotGoOn)),
            "coordinator",
            failure,
            [new("Code", coded ? words[0] : ""), new("Text", coded ? words[1] : failure)],
            Exception: null,
            WithStackTrace: false);
    }

    // A stack trace helps whoever asked for details, and frightens everybody else.
    private static Exception? DetailOf(ILogger logger, Exception error) => logger.IsEnabled(LogLevel.Debug) ? error : null;

    private static string WithoutCode(string code, string message) =>
        message.StartsWith(code, StringComparison.Ordinal) ? message[code.Length..].TrimStart() : message;
}
