namespace Ambrosia.Protocol;

/// <summary>How an awakeable is completed.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum AwakeableForm : byte
{
    /// <summary>With a value: MessagePack follows.</summary>
    Value = 1,

    /// <summary>Rejected: why, as UTF-8, follows.</summary>
    Rejection = 3,
}
