using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Notes that the process would have ended, and lets the test go on.</summary>
public sealed class RecordingFatal : IFatal
{
    private readonly TaskCompletionSource<(int ExitCode, string Line)> _died = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<(int ExitCode, string Line)> Died => _died.Task;

    public void Die(int exitCode, string line) => _died.TrySetResult((exitCode, line));
}
