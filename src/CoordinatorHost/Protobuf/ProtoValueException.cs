namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>A message, or JSON, that is not of the type which belongs there.</summary>
internal sealed class ProtoValueException(string reason) : FormatException(reason);
