namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>One of several types, which the value says: in messages an array of tag and value, in JSON a member <c>$type</c>.</summary>
internal sealed record UnionShape(int Number, string Name) : NamedShape(Number, Name)
{
    /// <summary>The member that says the type.</summary>
    public const string Discriminator = "$type";

    /// <summary>The member that holds a value which is no object.</summary>
    public const string Value = "value";

    /// <summary>Its types.</summary>
    public IReadOnlyList<CaseShape> Cases { get; private set; } = [];

    /// <summary>Says what it consists of.</summary>
    public void Complete(IReadOnlyList<CaseShape> cases) => Cases = cases;

    /// <summary>The case with this name, or this tag as text.</summary>
    public CaseShape? Find(string name) => Cases.FirstOrDefault(each => each.Name == name)
        ?? Cases.FirstOrDefault(each => $"{each.Tag}" == name);

    /// <inheritdoc/>
    public bool Equals(UnionShape? other) => ReferenceEquals(this, other);

    /// <inheritdoc/>
    public override int GetHashCode() => Number;
}
