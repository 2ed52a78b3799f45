namespace Ambrosia.CodeGen.Tool;

/// <summary>What the tool's exit code says.</summary>
internal enum ExitCode
{
    /// <summary>Done; with <c>contract --check</c>: the contract fits.</summary>
    Done = 0,

    /// <summary>An interface has errors, or the contract does not fit.</summary>
    Refused = 1,

    /// <summary>An input is missing or cannot be read.</summary>
    BadInput = 2,
}
