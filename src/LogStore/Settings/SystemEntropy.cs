using System.Security.Cryptography;

namespace Ambrosia.LogStore.Settings;

/// <summary>The operating system's cryptographic randomness.</summary>
public sealed class SystemEntropy : IEntropy
{
    public void Fill(Span<byte> destination) => RandomNumberGenerator.Fill(destination);
}
