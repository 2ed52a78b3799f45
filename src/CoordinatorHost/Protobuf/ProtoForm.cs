namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>What a message is in JSON.</summary>
internal enum ProtoForm
{
    /// <summary>An object with a member for each field.</summary>
    Object,

    /// <summary>An object whose <c>$type</c> says which field is set.</summary>
    Union,

    /// <summary>An array with an element for each field.</summary>
    Tuple,

    /// <summary>What its only field is; nothing without fields.</summary>
    Wrapper,
}
