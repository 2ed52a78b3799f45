namespace Ambrosia.LogStore.Tests.Support;

/// <summary>Waits for a condition; the deadline only ends a test that would hang.</summary>
public static class Poll
{
    public static async Task UntilAsync(Func<bool> condition)
    {
        DateTime deadline = DateTime.UtcNow + Patience.Time;
        while (!condition())
        {
            Assert.True(DateTime.UtcNow < deadline, $"The awaited condition did not come about within {Patience.Time.TotalSeconds} s.");
            await Task.Delay(1);
        }
    }
}
