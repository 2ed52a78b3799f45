namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>A field of a message.</summary>
/// <param name="Number">Its number.</param>
/// <param name="Name">Its name.</param>
/// <param name="JsonName">The member of JSON that it is.</param>
/// <param name="Content">What it holds.</param>
/// <param name="IsNeeded">Whether JSON must have it.</param>
internal sealed record ProtoField(int Number, string Name, string JsonName, ProtoContent Content, bool IsNeeded)
{
    /// <summary>Whether a value that is not sent is told from the one that is zero or empty.</summary>
    public bool HasPresence => !Content.IsRepeated && (Content.IsNullable || !IsNeeded || Content.Kind == ProtoKind.Message);

    /// <summary>Whether it is written <c>optional</c>: messages are so anyhow.</summary>
    public bool IsOptional => HasPresence && Content.Kind != ProtoKind.Message;
}
