namespace Ambrosia.Runtime;

/// <summary>
/// Lets ordinary async code outside of any immortal (a test) await a durable task. Holds a delegate, so no checkpoint accepts it.
/// </summary>
internal sealed class DelegateWaiter(Action continuation) : DurableWaiter
{
    protected internal override void Resume(DurableCell completed) => continuation();

    public static void Add(DurableCell cell, Action continuation)
    {
        if (Turn.Current is not null)
        {
            // An 'async Task' method suspended here would be missing in the checkpoint. Going on at once makes it fail with
            // that sentence; an exception thrown from here would end the process on a pool thread.
            continuation();
            return;
        }
        cell.AddWaiter(new DelegateWaiter(continuation));
    }
}
