namespace Ambrosia.Primitives.Errors;

/// <summary>A text that is no name of an instance (IC-2041).</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class InstanceNameException(string message, string parameter) : ArgumentException(message, parameter)
{
    /// <summary>The line for people, without the parameter's name, which is of no use to those who typed the name.</summary>
    public string Line { get; } = message;
}
