namespace Ambrosia;

/// <summary>
/// Something that cannot be part of an immortal's state is reachable from it: the message says where it hangs and what to use instead.
/// </summary>
public sealed class CannotSaveException : NotSupportedException
{
    internal CannotSaveException(string path, string type, string advice)
        : base($"{path} is a {type}, which cannot be part of an immortal's state: {advice}")
    {
        Path = path;
    }

    /// <summary>Where it hangs, such as <c>Bank.Deposit: local 's'</c>.</summary>
    public string Path { get; }
}
