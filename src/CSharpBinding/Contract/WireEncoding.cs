namespace Ambrosia;

/// <summary>How arguments and results travel.</summary>
public enum WireEncoding
{
    /// <summary>MessagePack: one array of arguments, one value.</summary>
    MessagePack,

    /// <summary>
    /// JSON: one object with the arguments by their parameters' names; <c>{"result": value}</c>. A single parameter of bytes travels raw,
    /// no parameters as nothing.
    /// </summary>
    Json,
}
