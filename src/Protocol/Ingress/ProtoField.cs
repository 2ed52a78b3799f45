namespace Ambrosia.Protocol.Ingress;

/// <summary>One field of a message of Protocol Buffers.</summary>
/// <param name="number">Its number.</param>
/// <param name="isBytes">Whether it has bytes; else a value.</param>
/// <param name="value">Its value.</param>
/// <param name="bytes">Its bytes.</param>
internal readonly ref struct ProtoField(int number, bool isBytes, ulong value, ReadOnlySpan<byte> bytes)
{
    private readonly bool _isBytes = isBytes;

    /// <summary>What the field is: its number, negative for bytes. So one with a foreign form is not taken for one that is known.</summary>
    public int Id => _isBytes ? -number : number;

    public ulong Value { get; } = value;

    public ReadOnlySpan<byte> Bytes { get; } = bytes;
}
