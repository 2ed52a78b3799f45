namespace Ambrosia.Protocol;

/// <summary>
/// What the outcome of an effect begins with: whose it is, and how often it was tried. See docs/internals/effect-rules.md#bytes.
/// </summary>
/// <param name="Lsn">Record of the message whose turn asked for the effect.</param>
/// <param name="Index">Index of that message.</param>
/// <param name="Ordinal">Place among the effects of that turn, from 0.</param>
/// <param name="Hash">Of interface, method and arguments.</param>
/// <param name="Attempts">Attempts of the process that gave the outcome.</param>
/// <param name="Form">Value, void or exception.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
public readonly record struct EffectOutcomeHead(ulong Lsn, int Index, int Ordinal, ulong Hash, int Attempts, RpcForm Form)
{
    /// <summary>The effect's key, as people write it: <c>17:3:0</c>.</summary>
    public string Key => $"{Lsn}:{Index}:{Ordinal}";

    /// <summary>Reads it from the arguments of an impulse of <see cref="ReservedMethods.EffectDone"/>.</summary>
    /// <param name="arguments">The arguments.</param>
    /// <param name="rest">The encoded value or exception.</param>
    /// <exception cref="ProtocolException">They are no outcome.</exception>
    public static EffectOutcomeHead Read(ReadOnlySpan<byte> arguments, out ReadOnlySpan<byte> rest)
    {
        var reader = new ByteReader(arguments);
        ulong lsn = reader.ReadVarint("effect's record");
        int index = reader.ReadLength(int.MaxValue, "effect's message");
        int ordinal = reader.ReadLength(int.MaxValue, "effect's ordinal");
        ulong hash = reader.ReadUInt64("hash of what was asked for");
        int attempts = reader.ReadLength(int.MaxValue, "attempts");
        var form = (RpcForm)reader.ReadByte("form of an outcome");
        rest = reader.Rest;
        return new EffectOutcomeHead(lsn, index, ordinal, hash, attempts, form);
    }
}
