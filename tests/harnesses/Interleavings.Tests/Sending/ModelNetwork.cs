using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.Primitives;

namespace Ambrosia.Interleavings.Tests.Sending;

/// <summary>What the sender dials through: an attempt lies there until the schedule lets somebody take it. Also the catalog, which always
/// has the one entry.</summary>
internal sealed class ModelNetwork : ITransport, ICatalog
{
    private static readonly CatalogRow s_row =
        new(new CatalogEntry { Instance = "b", PeerAddress = "127.0.0.1:4100", InstanceId = ModelReceiver.Id.ToString("N") }, "1");
    private TaskCompletionSource<IConnection>? _dialling;

    public List<ModelConnection> Connections { get; } = [];

    public bool IsDialled => _dialling is not null;

    public ValueTask<IConnection> ConnectAsync(EndPointName endPoint, CancellationToken cancellationToken)
    {
        _dialling = new TaskCompletionSource<IConnection>(TaskCreationOptions.RunContinuationsAsynchronously);
        return new ValueTask<IConnection>(_dialling.Task);
    }

    public void Accept(ModelReceiver receiver)
    {
        var connection = new ModelConnection(receiver);
        Connections.Add(connection);
        TaskCompletionSource<IConnection> dialling = _dialling!;
        _dialling = null;
        dialling.SetResult(connection);
    }

    /// <summary>Forgets an attempt whose process died.</summary>
    public void HangUp() => _dialling = null;

    public ValueTask<IListener> ListenAsync(EndPointName endPoint, Func<IConnection, Task> onConnection,
        CancellationToken cancellationToken) => throw new NotSupportedException("Senders dial.");

    public ValueTask<CatalogRow?> GetAsync(string instance) => new(s_row);

    public ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion) => throw new NotSupportedException("The entry stays.");

    public ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null) =>
        throw new NotSupportedException("The entry stays.");

    public ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null) => new([s_row]);

    public ValueTask DisposeAsync() => default;
}
