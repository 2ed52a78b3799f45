namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>What a field of a message holds.</summary>
internal enum ProtoKind
{
    Bool,
    Int32,
    Int64,
    UInt32,
    UInt64,
    Float,
    Double,
    String,
    Bytes,
    Message,
}
