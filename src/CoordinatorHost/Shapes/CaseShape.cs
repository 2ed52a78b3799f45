namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>One of the types that may stand for a union.</summary>
/// <param name="Tag">What stands for it in messages.</param>
/// <param name="Type">The type.</param>
internal sealed record CaseShape(int Tag, TypeShape Type)
{
    /// <summary>What stands for it in JSON.</summary>
    public string Name => Type is NamedShape { Name.Length: > 0 } named ? named.Name : $"{Tag}";
}
