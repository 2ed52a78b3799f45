namespace Ambrosia.Simulation.Tests;

/// <summary>What a walker does with an awakeable.</summary>
internal static class AwakeableSteps
{
    /// <summary>One step of a handler: opens one and waits for it.</summary>
    public static async DurableTask RunAsync(Walker walker, ulong id)
    {
        TimeSpan? deadline = AwakeablePlan.DeadlineOf(id);
        Awakeable<ulong> awakeable = walker.Open(deadline);
        Opened(walker, id, awakeable.Id);
        walker.Awaits(id);
        ulong came;
        try
        {
            came = await awakeable;
        }
        catch (AwakeableRejectedException rejected)
        {
            came = ulong.Parse(rejected.Message, System.Globalization.CultureInfo.InvariantCulture);
        }
        catch (AwakeableExpiredException)
        {
            came = 0;
        }

        walker.Resumed(id, Came(walker, id, came, deadline));
    }

    private static void Opened(Walker walker, ulong id, string text) =>
        walker.Host.Oracle.Outside.Awakeables.Opened(walker.Host.Name, id, text);

    private static bool Came(Walker walker, ulong id, ulong came, TimeSpan? deadline) =>
        walker.Host.Oracle.Outside.Awakeables.Came(walker.Host.Name, id, came, deadline is not null);
}
