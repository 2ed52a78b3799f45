namespace NamespaceOfName;

/// <summary>Leads from requests to the immortal, as soon as it serves.</summary>
public sealed class FrontDoor
{
    private volatile TaskCompletionSource<FrontProxy> _front = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The immortal serves, for the first time or after a recovery.</summary>
    public void Open(FrontProxy front)
    {
        if (!_front.TrySetResult(front))
        {
            var next = new TaskCompletionSource<FrontProxy>();
            next.SetResult(front);
            _front = next;
        }
    }

    /// <summary>Waits until it serves.</summary>
    public Task<FrontProxy> FrontAsync(CancellationToken gone) => _front.Task.WaitAsync(gone);
}
