using MessagePack;

namespace Ambrosia.Serialization;

/// <summary>Options of MessagePack-CSharp for bytes that nobody vouches for.</summary>
internal sealed class UntrustedOptions : MessagePackSerializerOptions
{
    public UntrustedOptions(IFormatterResolver resolver)
        : base(Standard.WithResolver(resolver).WithSecurity(new UntrustedSecurity()))
    {
    }

    private UntrustedOptions(MessagePackSerializerOptions from)
        : base(from)
    {
    }

    /// <summary>No type is ever loaded by a name that came over the wire.</summary>
    public override Type? LoadType(string typeName) => null;

    // It may have been found by its name before, for code that does not use these options.
    /// <inheritdoc/>
    public override void ThrowIfDeserializingTypeIsDisallowed(Type type) =>
        throw new MessagePackSerializationException($"no type is loaded by a name that was sent, and {type} stands there");

    /// <inheritdoc/>
    protected override MessagePackSerializerOptions Clone() => new UntrustedOptions(this);
}
