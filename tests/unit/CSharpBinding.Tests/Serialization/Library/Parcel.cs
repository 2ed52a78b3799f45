using MessagePack;

namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>An object that the library writes by position.</summary>
[MessagePackObject]
public sealed class Parcel : ICargo
{
    [Key(0)]
    public int Id { get; set; }

    [Key(1)]
    public string? Label { get; set; }

    [Key(2)]
    public Dictionary<string, int> Weights { get; set; } = [];
}
