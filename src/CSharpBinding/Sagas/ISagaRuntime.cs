namespace Ambrosia.Runtime;

/// <summary>What a saga needs to know of the immortal that runs it; its runtime, which stands above.</summary>
internal interface ISagaRuntime
{
    /// <summary>The immortal's sagas that compensate.</summary>
    SagaTable Sagas { get; }

    /// <summary>The immortal's effects.</summary>
    EffectTable Effects { get; }

    /// <summary>Sends a call whose reply is awaited.</summary>
    DurableCell Call(string destination, int methodId, byte[] arguments);
}
