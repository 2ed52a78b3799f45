namespace Ambrosia.CoordinatorHost.Shapes;

/// <summary>A method of an app.</summary>
/// <param name="Id">What stands for it in messages.</param>
/// <param name="Name">Its name; others may have the same.</param>
/// <param name="IsImpulse">Whether its author says that it may be called from outside.</param>
/// <param name="IsQuery">Whether it only reads.</param>
/// <param name="Parameters">Its parameters, in order.</param>
/// <param name="Result">What it gives back; null for nothing.</param>
internal sealed record MethodShape(
    int Id, string Name, bool IsImpulse, bool IsQuery, IReadOnlyList<ParameterShape> Parameters, TypeShape? Result);
