namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>What an app's methods take and return.</summary>
/// <param name="Interface">Full name of its interface.</param>
/// <param name="Methods">Its methods.</param>
/// <param name="Types">Types that have names.</param>
internal sealed record AppShape(string Interface, IReadOnlyList<MethodShape> Methods, IReadOnlyList<NamedShape> Types)
{
    /// <summary>The types of awakeables, by what stands for them in ids.</summary>
    public IReadOnlyDictionary<uint, TypeShape> Awakeables { get; init; } = new Dictionary<uint, TypeShape>();

    /// <summary>The interface without its namespace.</summary>
    public string ShortName => Interface[(Interface.LastIndexOf('.') + 1)..];
}
