namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>Bounds waits, so that a missing event fails a test instead of hanging it. No test depends on how long anything takes.</summary>
public static class Within
{
    public static Task<T> OrFail<T>(this Task<T> task) => task.WaitAsync(Patience.Time);

    public static Task OrFail(this Task task) => task.WaitAsync(Patience.Time);

    /// <summary>Looks again and again until the condition holds.</summary>
    public static Task Until(Func<bool> condition) => Until(condition, Patience.Time);

    /// <summary>The same, with another bound.</summary>
    public static async Task Until(Func<bool> condition, TimeSpan patience)
    {
        using var impatience = new CancellationTokenSource(patience);
        while (!condition())
        {
            await Task.Delay(5, impatience.Token);
        }
    }
}
