namespace Ambrosia.LogStore.Settings;

/// <summary>What ends the process when it must not go on: a failed sync, a lost file, a lost lock.</summary>
public interface IFatal
{
    /// <summary>
    /// Ends the process with this exit code after one line. In production it never returns and unwinds nothing: a finally block that still
    /// wrote, acknowledged or closed would act on data that is not durable. A test double may return or throw; the log then refuses every
    /// later call.
    /// </summary>
    void Die(int exitCode, string line);
}
