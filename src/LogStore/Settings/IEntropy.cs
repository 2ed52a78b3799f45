namespace Ambrosia.LogStore.Settings;

/// <summary>Source of randomness, so that a simulator can replay a run.</summary>
public interface IEntropy
{
    /// <summary>Fills the whole span.</summary>
    void Fill(Span<byte> destination);
}
