namespace Ambrosia.Client.Tests;

/// <summary>What a handler throws, with data.</summary>
public sealed class SoldOutException(string message) : Exception(message)
{
    public int Left { get; set; }
}
