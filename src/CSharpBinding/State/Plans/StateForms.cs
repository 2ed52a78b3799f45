namespace Ambrosia.Runtime;

/// <summary>The forms of all types that can be state.</summary>
internal sealed class StateForms : IStateForms
{
    private StateForms()
    {
    }

    /// <summary>They are the same for every graph.</summary>
    public static StateForms Instance { get; } = new();

    /// <inheritdoc/>
    public ObjectPlan PlanOf(Type type, ObjectHandler? handler) => handler is null ? Plans.Of(type) : new HandlerPlan(type, handler);

    /// <inheritdoc/>
    public Codec CodecOf(Type type) => Codecs.Of(type);
}
