using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Microsoft.Extensions.Logging;

namespace Ambrosia.LogStore.Append;

/// <summary>
/// Remembers why the log cannot go on and ends the process: after a failed write or sync nobody knows what the device holds.
/// </summary>
internal sealed class LogFailure(LogServices services)
{
    /// <summary>Why; null while all is well.</summary>
    public LogStoreException? Error { get; private set; }

    /// <summary>Ends the process. Returns only under a test double; then the first reason stays.</summary>
    public void Set(Exception error, string where)
    {
        if (Error is not null)
        {
            return;
        }

        Error = error as LogStoreException ?? new LogFailedException(StoreErrors.WriteFailed, Describe(error), where, error);
        services.Fatal.Die((int)Error.ExitCode, Error.Message);
        LogStoreLog.Fatal(services.Logger, Error.Message);
    }

    /// <summary>Throws why the log cannot go on, if it cannot.</summary>
    public void ThrowIfSet()
    {
        if (Error is { ExitCode: ExitCode.StoreDamaged })
        {
            throw Error; // What is safe, and what to do, is not what it is after a failed write.
        }

        if (Error is not null)
        {
            throw new LogFailedException(Error.Error, "the log has failed before", "log", Error);
        }
    }

    private static string Describe(Exception error) =>
        error is FileFailedException failed ? $"{failed.Call} failed with {failed.Error}" : $"the log cannot go on: {error.Message}";
}
