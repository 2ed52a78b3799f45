namespace Ambrosia.Testing;

/// <summary>A call that is answered.</summary>
internal sealed class AsyncWorldCall<TProxy, T>(string destination, Func<TProxy, DurableTask<T>> send, TaskCompletionSource<T> answer)
    : WorldCall
    where TProxy : ImmortalProxy, new()
{
    public override async DurableTask InTurnAsync(Caller caller)
    {
        try
        {
            answer.TrySetResult(await send(caller.To<TProxy>(destination)));
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            answer.TrySetException(error);
        }
    }
}
