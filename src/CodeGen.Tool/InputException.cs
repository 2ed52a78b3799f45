namespace Ambrosia.CodeGen.Tool;

/// <summary>An input is missing or cannot be read; the message is one sentence for the user.</summary>
internal sealed class InputException(string message) : Exception(message);
