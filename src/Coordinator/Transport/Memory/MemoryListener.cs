namespace Ambrosia.Coordinator.Transport.Memory;

/// <summary>Hands accepted connections over on the context that listened.</summary>
internal sealed class MemoryListener(MemoryNetwork network, string node, EndPointName endPoint, Func<IConnection, Task> onConnection)
    : IListener
{
    private readonly ConnectionHandlers _handlers = new(onConnection);
    private readonly SynchronizationContext? _context = SynchronizationContext.Current;

    public string Node => node;

    public EndPointName EndPoint => endPoint;

    public Task Completion => _handlers.Completion;

    public void Accept(IConnection connection)
    {
        if (_context is null)
        {
            _ = _handlers.RunAsync(connection);
        }
        else
        {
            _context.Post(static state => _ = ((Accepted)state!).RunAsync(), new Accepted(_handlers, connection));
        }
    }

    public ValueTask DisposeAsync()
    {
        network.Forget(this);
        _handlers.Stop();
        return default;
    }

    private sealed record Accepted(ConnectionHandlers Handlers, IConnection Connection)
    {
        public Task RunAsync() => Handlers.RunAsync(Connection);
    }
}
