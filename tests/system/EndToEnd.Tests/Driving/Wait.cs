using System.Diagnostics;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Polling with a deadline: what tests do instead of sleeping.</summary>
internal static class Wait
{
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    /// <summary>Returns when the condition holds; throws with its name when the deadline is over first.</summary>
    public static Task UntilAsync(string what, Func<bool> condition, TimeSpan deadline) =>
        UntilAsync(what, () => Task.FromResult(condition()), deadline);

    public static async Task UntilAsync(string what, Func<Task<bool>> condition, TimeSpan deadline)
    {
        var watch = Stopwatch.StartNew();
        while (!await condition())
        {
            if (watch.Elapsed > deadline)
            {
                throw new TimeoutException($"Waited {deadline.TotalSeconds:0} s until {what}.");
            }

            await Task.Delay(s_pause);
        }
    }
}
