namespace Ambrosia.Runtime;

/// <summary>
/// Attempts for which nobody waits any more and which still run: each may hold a thread or a connection. Many say that a class does not
/// listen to its token, and more would exhaust the process.
/// </summary>
/// <param name="most">How many there may be before no effect begins any more.</param>
/// <param name="tooMany">Called when there are so many, with the last one's method.</param>
/// <param name="ended">Called when one has ended.</param>
internal sealed class AbandonedAttempts(int most, Action<string> tooMany, Action ended)
{
    private readonly object _gate = new();
    private int _count;
    private bool _said;

    /// <summary>True if there are as many as there may be.</summary>
    public bool IsFull
    {
        get
        {
            lock (_gate)
            {
                return _count >= most;
            }
        }
    }

    /// <summary>Nobody waits for this one any more.</summary>
    public void Add(string method, Task performing)
    {
        if (performing.IsCompleted)
        {
            return;
        }

        bool isNews;
        lock (_gate)
        {
            isNews = ++_count >= most && !_said;
            _said |= isNews;
        }

        if (isNews)
        {
            tooMany(method);
        }

        _ = ForgetAsync(performing);
    }

    private async Task ForgetAsync(Task performing)
    {
        await performing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
        lock (_gate)
        {
            _count--;
            _said &= _count > 0;
        }

        ended();
    }
}
