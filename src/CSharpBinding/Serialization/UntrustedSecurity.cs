using MessagePack;

namespace Ambrosia.Serialization;

/// <summary><see cref="MessagePackSecurity.UntrustedData"/> within <see cref="MessagePackLimits"/>.</summary>
internal sealed class UntrustedSecurity : MessagePackSecurity
{
    public UntrustedSecurity()
        : base(UntrustedData.WithMaximumObjectGraphDepth(MessagePackLimits.MaxDepth))
    {
    }

    private UntrustedSecurity(MessagePackSecurity from)
        : base(from)
    {
    }

    /// <inheritdoc/>
    protected override MessagePackSecurity Clone() => new UntrustedSecurity(this);

    // .NET's own resists collisions of texts, and a collection that has it is saved without naming a type of the library.
    /// <inheritdoc/>
    protected override IEqualityComparer<T> GetHashCollisionResistantEqualityComparer<T>() =>
        typeof(T) == typeof(string) ? EqualityComparer<T>.Default : base.GetHashCollisionResistantEqualityComparer<T>();
}
