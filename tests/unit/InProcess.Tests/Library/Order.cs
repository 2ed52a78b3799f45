using MessagePack;

namespace Ambrosia.InProcess.Tests.Library;

/// <summary>What is ordered; MessagePack-CSharp writes it by position.</summary>
[MessagePackObject]
public sealed class Order
{
    [Key(0)]
    public string Customer { get; set; } = "";

    [Key(1)]
    public Dictionary<string, int> Items { get; set; } = [];

    [Key(2)]
    public Dictionary<int, string> Notes { get; set; } = [];

    [Key(3)]
    public HashSet<Guid> Coupons { get; set; } = [];
}
