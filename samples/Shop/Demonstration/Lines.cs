namespace Shop.Demonstration;

/// <summary>Who waits for which line.</summary>
internal sealed class Lines
{
    private readonly object _gate = new();
    private readonly List<(string Text, TaskCompletionSource Seen)> _awaited = [];

    /// <summary>Ends with the next line that holds this text.</summary>
    public Task AwaitAsync(string text)
    {
        var seen = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _awaited.Add((text, seen));
        }

        return seen.Task;
    }

    /// <summary>A line has come.</summary>
    public void Add(string line)
    {
        lock (_gate)
        {
            foreach ((_, TaskCompletionSource seen) in _awaited.Where(each => line.Contains(each.Text, StringComparison.Ordinal)))
            {
                seen.TrySetResult();
            }

            _awaited.RemoveAll(static each => each.Seen.Task.IsCompleted);
        }
    }
}
