using System.Buffers;

namespace Ambrosia.Protocol;

/// <summary>
/// By what an instance names its awakeables: a secret that only its log and its processes know, and the address at which others complete
/// them. It is logged before anything is named by it, so a replay names all alike (docs/internals/outside-calls.md X29, X32). Data of the
/// message that brings it to a binding, and its form in records and checkpoints: 32 bytes secret · string address.
/// </summary>
/// <param name="Secret">The secret. Never changes.</param>
/// <param name="Address">What comes before the path of an awakeable; empty for nothing.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed record AwakeableKey(ReadOnlyMemory<byte> Secret, string Address)
{
    /// <summary>Bytes of a secret.</summary>
    public const int SecretSize = 32;

    /// <summary>Longest address, in bytes.</summary>
    public const int MaxAddress = 512;

    /// <summary>Largest encoding, in bytes.</summary>
    public const int MaxSize = SecretSize + Varint.MaxSize32 + MaxAddress;

    /// <summary>Where an awakeable is completed.</summary>
    public string UrlOf(in AwakeableId id) => $"{Address}/v1/awakeables/{id}";

    /// <inheritdoc/>
    public bool Equals(AwakeableKey? other) =>
        other is not null && Address == other.Address && Secret.Span.SequenceEqual(other.Secret.Span);

    /// <inheritdoc/>
    public override int GetHashCode() => Address.GetHashCode(StringComparison.Ordinal);

    /// <summary>Says nothing of the secret.</summary>
    public override string ToString() => $"key of awakeables at '{Address}'";

    /// <summary>Writes it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteBytes(Secret.Span);
        writer.WriteString(Address, MaxAddress, "address of awakeables");
    }

    /// <summary>Reads the data of the message.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static AwakeableKey Read(ReadOnlySpan<byte> data)
    {
        var reader = new ByteReader(data);
        AwakeableKey key = Read(ref reader);
        reader.ExpectEnd("key of awakeables");
        return key;
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static AwakeableKey Read(ref ByteReader reader)
    {
        byte[] secret = reader.ReadBytes(SecretSize, "secret of awakeables").ToArray();
        string address = reader.ReadString(MaxAddress, "address of awakeables");
        return !address.Any(char.IsControl) ? new AwakeableKey(secret, address)
            : throw new ProtocolException("an address of awakeables with control characters", reader.Offset);
    }
}
