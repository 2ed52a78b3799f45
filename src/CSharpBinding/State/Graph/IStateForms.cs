namespace Ambrosia.Runtime;

/// <summary>How types are written and read. The floors above know each of them; a graph asks once for each type that it meets.</summary>
internal interface IStateForms
{
    /// <summary>The plan for the objects of a type.</summary>
    /// <param name="type">The objects' own type.</param>
    /// <param name="handler">Saves them in the host's place, if the host does.</param>
    /// <exception cref="UnsavableTypeException">Objects of the type cannot be saved.</exception>
    ObjectPlan PlanOf(Type type, ObjectHandler? handler);

    /// <summary>The codec for what a field or an element of a type holds.</summary>
    /// <exception cref="UnsavableTypeException">Values of the type cannot be saved.</exception>
    Codec CodecOf(Type type);
}
