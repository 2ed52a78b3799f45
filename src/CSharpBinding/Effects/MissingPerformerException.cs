namespace Ambrosia.Runtime;

/// <summary>No class can perform the effects of an interface: no outcome, but a mistake in the deployment of the app.</summary>
internal sealed class MissingPerformerException : Exception
{
    public MissingPerformerException(string interfaceName)
        : base($"Nothing performs the effects of {interfaceName}: register a class with options.UseEffects, or as a service of the host. "
            + $"They stay pending until then.")
    {
    }

    public MissingPerformerException(string interfaceName, Exception cause)
        : base($"What performs the effects of {interfaceName} cannot be made: {cause.Message} They stay pending until it can.", cause)
    {
    }
}
