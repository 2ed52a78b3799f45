namespace Ambrosia.Simulation.Tests;

/// <summary>What a turn asked of the outside, as the app says.</summary>
/// <param name="Method">The method.</param>
/// <param name="Id">Its argument.</param>
/// <param name="At">Log time.</param>
internal readonly record struct AskedEffect(string Method, ulong Id, DateTimeOffset At);
