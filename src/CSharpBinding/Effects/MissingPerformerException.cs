namespace Ambrosia.Runtime;

/// <summary>The app has no class that performs the effects of an interface: no outcome, but a mistake of whoever deployed it.</summary>
internal sealed class MissingPerformerException(string interfaceName) : Exception(
    $"Nothing performs the effects of {interfaceName}: register a class with options.UseEffects, or as a service of the host. They stay pending until then.");
