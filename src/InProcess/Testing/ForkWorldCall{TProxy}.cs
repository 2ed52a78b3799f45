namespace Ambrosia.Testing;

/// <summary>Messages that are not answered: done when they are sent.</summary>
internal sealed class ForkWorldCall<TProxy>(string destination, Action<TProxy> send, TaskCompletionSource<bool> sent) : WorldCall
    where TProxy : ImmortalProxy, new()
{
    public override DurableTask InTurnAsync(Caller caller)
    {
        try
        {
            send(caller.To<TProxy>(destination));
            sent.TrySetResult(true);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            sent.TrySetException(error);
        }

        return default;
    }
}
