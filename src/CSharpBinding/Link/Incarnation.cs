using System.Security.Cryptography;

namespace Ambrosia.Link;

/// <summary>Random ids of connections. They tell which caller waits for an impulse and are never seen by handlers.</summary>
internal static class Incarnation
{
    /// <summary>A new one.</summary>
    public static Guid Next() => new(RandomNumberGenerator.GetBytes(16));
}
