namespace Ambrosia.Protocol;

/// <summary>
/// How a binding leaves in order: it asks with Drain, the coordinator takes a checkpoint if one is due, and says Goodbye.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class Farewell
{
    /// <summary>
    /// Longest time that a coordinator may use for it. A binding that has heard nothing for so long leaves without an answer.
    /// </summary>
    public static readonly TimeSpan Longest = TimeSpan.FromSeconds(60);
}
