namespace Ambrosia;

/// <summary>
/// A checkpoint cannot be read by this app: another kind of app wrote it, it is damaged, or its user state cannot be restored.
/// </summary>
public sealed class CheckpointException : Exception
{
    /// <summary>A checkpoint that cannot be read.</summary>
    /// <param name="message">What is wrong and what to do.</param>
    /// <param name="inner">What was found, if anything.</param>
    public CheckpointException(string message, Exception? inner = null)
        : base(message, inner)
    {
    }

    /// <summary>True if the checkpoint is well and needs another build of the app: starting this one again changes nothing.</summary>
    internal bool NeedsAnotherBuild { get; private init; }

    internal static CheckpointException OfAnotherClass(string name, string build, Type present) => new(
        $"The checkpoint of {name} (build {build}) cannot be read by {present.FullName}: it is of another class. Nothing was changed. "
        + $"Start the app that has {name}, or register a conversion by UpgradeFrom.")
    {
        NeedsAnotherBuild = true,
    };
}
