namespace Ambrosia;

/// <summary>
/// Says how arguments and results of an interface travel, for systems in which not everybody is written in C#. What an immortal accepts
/// does not depend on it in MessagePack, with no arguments at all, or with raw bytes for a single parameter of bytes.
/// </summary>
/// <param name="encoding">How they are sent.</param>
[AttributeUsage(AttributeTargets.Interface)]
public sealed class EncodingAttribute(WireEncoding encoding) : Attribute
{
    /// <summary>How they are sent.</summary>
    public WireEncoding Encoding { get; } = encoding;
}
