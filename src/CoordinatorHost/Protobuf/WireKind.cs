namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>How a value stands in the bytes of a message: the numbers are those of Protocol Buffers.</summary>
internal enum WireKind
{
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    Fixed32 = 5,
}
