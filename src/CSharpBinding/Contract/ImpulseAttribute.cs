namespace Ambrosia;

/// <summary>
/// Lets a method of an immortal interface be called from the outside world too: the proxy gets an <c>…Impulse</c> variant that any thread
/// may use once the instance is primary. An impulse is executed at most once until it is logged and exactly once afterwards. Handlers never
/// send impulses: use the Async and Fork variants there.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ImpulseAttribute : Attribute;
