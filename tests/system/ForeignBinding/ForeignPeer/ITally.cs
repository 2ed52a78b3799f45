namespace Ambrosia.ForeignPeer;

/// <summary>What original.py numbers and counts, in the form that bindings of the original send.</summary>
[ImmortalInterface]
[Encoding(WireEncoding.Json)]
public interface ITally
{
    /// <summary>Called with 1, 2, 3, ... and acknowledged.</summary>
    [MethodId(2)]
    void Note(long number);

    /// <summary>Raw bytes.</summary>
    [MethodId(4)]
    void Data(byte[] bytes);

    /// <summary>No arguments.</summary>
    [MethodId(5)]
    void Nothing();

    /// <summary>A note has arrived.</summary>
    [MethodId(9)]
    void Acknowledge(long number);
}
