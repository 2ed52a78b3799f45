namespace Ambrosia;

/// <summary>
/// Declares on an interface of immortals or of effects, or on one of its methods, that
/// an exception of the app's own reaches the caller as what it is, with
/// its data:
/// <c>[Throws(typeof(NoMoney))]</c>. The data are its public properties that can be set: by a setter of any kind, by their initializer, or
/// by a parameter of the constructor.
/// </summary>
/// <param name="exception">The exception's type. It is known to callers because they know the interface; no type is loaded because a
/// message names it.</param>
[AttributeUsage(AttributeTargets.Interface | AttributeTargets.Method, AllowMultiple = true)]
public sealed class ThrowsAttribute(Type exception) : Attribute
{
    /// <summary>The exception's type.</summary>
    public Type Exception { get; } = exception;
}
