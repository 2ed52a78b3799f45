using Ambrosia;

namespace EndToEnd;

/// <summary>Is there, and does nothing.</summary>
public sealed class Bystander : BystanderBase
{
    public override DurableTask Nothing() => default;
}
