namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>What a field holds.</summary>
/// <param name="Kind">The kind of one value.</param>
/// <param name="Message">The message that one is; null for other kinds.</param>
internal sealed record ProtoContent(ProtoKind Kind, ProtoMessage? Message = null)
{
    /// <summary>Whether it holds any number of them.</summary>
    public bool IsRepeated { get; init; }

    /// <summary>Whether none stands for null.</summary>
    public bool IsNullable { get; init; }

    /// <summary>Whether it is the number of a character, which is text in JSON.</summary>
    public bool IsCharacter { get; init; }

    /// <summary>The kind of the keys of a map; null for what is none.</summary>
    public ProtoKind? Key { get; init; }
}
