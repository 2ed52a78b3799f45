namespace Ambrosia.Testing;

/// <summary>An impulse from the outside world: done when it is on its way.</summary>
internal sealed class ImpulseWorldCall<TProxy>(string destination, Func<TProxy, Task> send, TaskCompletionSource<bool> sent) : WorldCall
    where TProxy : ImmortalProxy, new()
{
    public override bool OutsideTurn(Caller caller)
    {
        _ = SendAsync(caller);
        return true;
    }

    private async Task SendAsync(Caller caller)
    {
        try
        {
            await send(caller.To<TProxy>(destination));
            sent.TrySetResult(true);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            sent.TrySetException(error);
        }
    }
}
