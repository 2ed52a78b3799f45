using MessagePack;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>An object of the library's with a member that only a resolver knows.</summary>
[MessagePackObject]
public sealed class Letter
{
    [Key(0)]
    public Stamp? At { get; set; }
}
