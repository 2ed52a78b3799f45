using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport;

namespace Ambrosia.Simulation.Tests;

/// <summary>The app's end of a binding link, with an observer at it.</summary>
internal sealed class TappedConnection(IConnection inner, AppLife life) : IConnection
{
    public PipeReader Input { get; } = new TappedReader(inner.Input, new StreamSplitter(life.FromCoordinator));

    public PipeWriter Output { get; } = new TappedWriter(inner.Output, new StreamSplitter(life.FromApp));

    public string Peer => inner.Peer;

    public void Abort() => inner.Abort();

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
