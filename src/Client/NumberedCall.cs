using Ambrosia.Protocol.Ingress;

namespace Ambrosia.Client;

/// <summary>One call of a line.</summary>
internal readonly record struct NumberedCall(CallLine Line, ulong Number)
{
    /// <summary>Its key for a try that begins now.</summary>
    public IngressKey Key => new(Line.Key.Name, 0, Number, Line.EndedThrough);

    /// <summary>Whether it is the first of its line.</summary>
    public bool IsFirst => Number == 1;
}
