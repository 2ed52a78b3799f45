namespace Ambrosia.Testing;

/// <summary>
/// The world of an <see cref="ImmortalTestHost"/> cannot do what the test waits for; the message says why and where everything stands.
/// </summary>
public sealed class ImmortalTestException(string message, Exception? cause = null) : Exception(message, cause);
