namespace Ambrosia;

/// <summary>
/// This build does not fit the log: something that was saved has no place in it, or messages that were executed would be executed by other
/// code. Nothing was sent or changed. The message says what, and what to do (docs/guide/builds.md).
/// </summary>
public sealed class BuildRefusedException : InvalidOperationException
{
    internal BuildRefusedException(string message, string accept)
        : base(message) => Accept = accept;

    /// <summary>Code of this failure in docs/operate/errors.md.</summary>
    public static string Code => VersionErrors.BuildRefused.Id;

    /// <summary>What <c>--accept</c> takes to go on with exactly these differences.</summary>
    public string Accept { get; }
}
