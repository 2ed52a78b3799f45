namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>State as an immortal may have it.</summary>
internal sealed class StateSample
{
    public Dictionary<string, List<int>> Map = new() { ["a"] = [1, 2], ["b"] = [] };
    public object[] Mixed = [1, "two", 3.0, new[] { 1, 2 }, new[,] { { 1 } }, DateTime.UnixEpoch, 1.5m, typeof(List<int>),
        new Version(1, 2)];
    public DurableDictionary<int, string?> Durable = new() { [1] = "x", [2] = null };
    public (int, string) Pair = (1, new string('q', 100));
    public DurableCompletion<int> Gate = new();
    public DurableTask<int> Suspended;
    public Exception Error = new ArgumentException("m", "p");

    public async DurableTask<int> Wait(int x)
    {
        int y = await Gate.Task;
        return x + y;
    }
}
