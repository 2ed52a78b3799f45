using Ambrosia.Link;
using Ambrosia.Protocol;
using Ambrosia.Serialization;

namespace Ambrosia.Runtime;

/// <summary>What effects need to know of the immortal that asks for them; its runtime, which stands above.</summary>
internal interface IEffectRuntime
{
    /// <summary>The immortal's effects.</summary>
    EffectTable Effects { get; }

    /// <summary>What the coordinator said at the connection's begin.</summary>
    BindingWelcome Welcome { get; }

    /// <summary>Takes what this process sends.</summary>
    LinkWriter Writer { get; }

    /// <summary>Takes what turns send.</summary>
    OutgoingPage Page { get; }

    /// <summary>The turn's clock.</summary>
    TurnClock Clock { get; }

    /// <summary>The immortal itself, as a destination.</summary>
    Destination Self { get; }

    /// <summary>What reads and writes values of types that MessagePack-CSharp knows.</summary>
    MessagePackLibrary Library { get; }

    /// <summary>Exceptions that travel with their data.</summary>
    DeclaredExceptions Exceptions { get; }

    /// <summary>Largest message that may be sent now.</summary>
    long MaxMessageBytes { get; }

    /// <summary>The process that performs effects.</summary>
    ulong Life { get; }

    /// <summary>The build of the immortal's class.</summary>
    string Build { get; }

    /// <summary>Something failed for whose outcome nobody waits.</summary>
    /// <exception cref="HandlerFaultException">The policy is to stop.</exception>
    void Report(int methodId, string method, Exception error);
}
