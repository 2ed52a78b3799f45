namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>One value in the bytes of a message.</summary>
/// <param name="Number">Number of its field.</param>
/// <param name="Kind">How it stands there.</param>
/// <param name="Bits">Its value; of no meaning for bytes.</param>
/// <param name="Bytes">Its bytes; of no meaning for others.</param>
internal readonly record struct WireValue(int Number, WireKind Kind, ulong Bits, ReadOnlyMemory<byte> Bytes);
