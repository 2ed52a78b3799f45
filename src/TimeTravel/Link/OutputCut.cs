namespace Ambrosia.TimeTravel.Link;

/// <summary>A place in the replay at which what was sent so far is handed over.</summary>
/// <param name="lsn">The record.</param>
/// <param name="messagesDone">Messages of it that must have been executed.</param>
/// <param name="keep">Whether the bytes sent up to here are wanted, or only their number.</param>
/// <param name="into">Where to gather.</param>
internal sealed class OutputCut(ulong lsn, int messagesDone, bool keep, TurnOutputs into)
{
    private readonly TaskCompletionSource<TurnOutputs> _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public bool Keep => keep;

    public TurnOutputs Outputs => into;

    public Task<TurnOutputs> Reached => _reached.Task;

    public bool IsReachedAt(ulong atLsn, int atMessages) => atLsn > lsn || (atLsn == lsn && atMessages >= messagesDone);

    public void Complete() => _reached.TrySetResult(into);

    public void Fail(Exception error)
    {
        _reached.TrySetException(error);
        _ = _reached.Task.Exception; // The code that awaits it sees it; a cut that nothing awaits is no failure of its own.
    }
}
