namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>Values by keys.</summary>
internal sealed record MapShape(TypeShape Key, TypeShape Value) : TypeShape
{
    /// <summary>Whether a key can be the name of a member in JSON.</summary>
    public bool HasNames => Key is EnumShape or ScalarShape { Kind: not (ScalarKind.Any or ScalarKind.Bytes) };
}
