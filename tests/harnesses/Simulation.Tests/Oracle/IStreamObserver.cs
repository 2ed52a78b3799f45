using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>Told what goes by on one direction of a binding link.</summary>
internal interface IStreamObserver
{
    void OnMessage(BindingMessageType type, ReadOnlySpan<byte> data);

    /// <summary>The bytes of a checkpoint have gone by.</summary>
    void OnCheckpoint(ulong hash);
}
