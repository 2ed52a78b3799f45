using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>The two connections of the published protocol, seen as one.</summary>
internal sealed class LegacyPair(IConnection fromApp, IConnection toApp) : IConnection
{
    public PipeReader Input => fromApp.Input;

    public PipeWriter Output => toApp.Output;

    public string Peer => fromApp.Peer;

    public void Abort()
    {
        fromApp.Abort();
        toApp.Abort();
    }

    public async ValueTask DisposeAsync()
    {
        await fromApp.DisposeAsync();
        await toApp.DisposeAsync();
    }
}
