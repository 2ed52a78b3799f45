namespace Ambrosia.Testing;

/// <summary>A call that is answered without a result.</summary>
internal sealed class VoidWorldCall<TProxy>(string destination, Func<TProxy, DurableTask> send, TaskCompletionSource<bool> done) : WorldCall
    where TProxy : ImmortalProxy, new()
{
    public override async DurableTask InTurnAsync(Caller caller)
    {
        try
        {
            await send(caller.To<TProxy>(destination));
            done.TrySetResult(true);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            done.TrySetException(error);
        }
    }
}
