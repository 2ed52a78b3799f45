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
                return Write(logger, known.Error, WithoutCode(known.Error, known.Message), error);
            case LogStoreException known:
                return Write(logger, known.Error, WithoutCode(known.Error, known.Message), error);
            case FileFailedException file:
                string advice = ErrnoAdvice.Or("check the folder, its device and this user's rights", file);
                return Write(
                    logger,
                    ProcessErrors.FileUnusable,
                    $"a file cannot be used: {file.Message} | store or catalog | everything acknowledged is in the log | {advice}",
                    error);
            case FileStoresUnsupportedException:
                return Write(logger, StoreErrors.FileStoresUnsupported, FileStoresUnsupportedException.Reason, error);
            default:
                return Write(
                    logger,
                    ProcessErrors.CoordinatorMistake,
                    $"mistake in the coordinator: {error.GetType().Name}: {error.Message} | coordinator | everything acknowledged is in "
                    + $"the log | start it again, and report this with --log-level debug",
                    error);
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

    private static ExitCode Write(ILogger logger, ErrorCode code, string text, Exception error)
    {
        // A stack trace helps only those who asked for details.
        CoordinatorLog.CannotGoOn(logger, code.Id, text, logger.IsEnabled(LogLevel.Debug) ? error : null);
        return code.ExitCodeIfFatal;
    }

    private static string WithoutCode(ErrorCode code, string message) =>
        message.StartsWith(code.Id, StringComparison.Ordinal) ? message[code.Id.Length..].TrimStart() : message;
}
