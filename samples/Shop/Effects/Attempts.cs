namespace Shop.Effects;

/// <summary>
/// A file with a line for each attempt. Effects run beside each other, and two that append at one time could write over each other.
/// </summary>
internal sealed class Attempts(string file)
{
    private readonly object _gate = new();

    public void Add(string id)
    {
        lock (_gate)
        {
            File.AppendAllText(file, $"{id}\n");
        }
    }

    /// <summary>The ids of all attempts, those that were killed included.</summary>
    public string[] Read() => File.Exists(file) ? File.ReadAllLines(file) : [];
}
