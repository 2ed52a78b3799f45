using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Context;

/// <summary>The log's identity of an instance as the 128-bit id that protocols carry; both print the same 32 digits.</summary>
public static class InstanceIds
{
    public static Guid ToGuid(this InstanceId id) => Guid.ParseExact(id.ToString(), "N");

    /// <summary>Reads a catalog's text; empty for none.</summary>
    public static Guid Parse(string text) => Guid.TryParseExact(text, "N", out Guid id) ? id : Guid.Empty;
}
