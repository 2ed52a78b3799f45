namespace Ambrosia.Coordinator.State;

/// <summary>
/// How many outputs to each destination the log brought forth when it was replayed at the start of this life. What a destination has
/// logged before it first answered this life was sent by earlier ones, so it cannot be more: else the log was longer once.
/// </summary>
internal sealed class ReplayedOutputs
{
    private Dictionary<string, ulong>? _counts;

    /// <summary>The app has consumed the whole log. Counts the first time only.</summary>
    public void Ended(IEnumerable<OutputBuffer> outputs) =>
        _counts ??= outputs.ToDictionary(static buffer => buffer.Destination, static buffer => buffer.Generated);

    /// <summary>The count for a destination; null while the replay goes on.</summary>
    public ulong? Of(string destination) => _counts?.GetValueOrDefault(destination);
}
