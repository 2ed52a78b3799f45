namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>An exception that no other app knows.</summary>
public sealed class OddException(string message) : Exception(message);
