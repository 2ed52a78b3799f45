namespace Ambrosia.Runtime;

/// <summary>Copies the outcome of a completed cell to another one.</summary>
internal static class Forward
{
    public static void Outcome<T>(DurableCell completed, DurableCell<T> target)
    {
        if (completed.Error is { } error)
        {
            target.TryFail(error);
        }
        else
        {
            target.TryComplete(completed is DurableCell<T> typed ? typed.GetResult() : default!);
        }
    }
}
