using Ambrosia.LogStore.Settings;

namespace Ambrosia.LogStore.Tests.Support;

/// <summary>The same "randomness" always.</summary>
public sealed class FixedEntropy : IEntropy
{
    public void Fill(Span<byte> destination) => destination.Fill(0x5A);
}
