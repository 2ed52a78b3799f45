namespace Ambrosia;

/// <summary>An option is wrong; the message is a whole sentence.</summary>
/// <param name="message">Names the option, where it came from, and what is allowed.</param>
public sealed class OptionException(string message) : Exception(message);
