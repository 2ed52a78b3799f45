namespace Ambrosia.Fuzz.Tests.Sessions;

/// <summary>The core ended while something was expected of it.</summary>
internal sealed class CoreEndedException(Exception? why) : Exception($"The core ended: {why}", why);
