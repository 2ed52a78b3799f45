using System.IO.Pipelines;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.LogStore;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>An app's connection: what reads from it and writes to it, which end together, and how far the app has come.</summary>
/// <param name="connection">The connection, behind its welcome.</param>
/// <param name="dialect">How the app speaks.</param>
internal sealed class AppChannel(IDuplexPipe connection, IAppDialect dialect) : IDisposable
{
    private readonly CancellationTokenSource _end = new();
    private AppInbox? _inbox;
    private AppDelivery? _delivery;

    /// <summary>How the app speaks.</summary>
    public IAppDialect Dialect => dialect;

    /// <summary>To the app.</summary>
    public PipeWriter Output => connection.Output;

    /// <summary>What reads from the app.</summary>
    public AppInbox Inbox => _inbox ?? throw new InvalidOperationException("The channel is not open.");

    /// <summary>What writes to the app.</summary>
    public AppDelivery Delivery => _delivery ?? throw new InvalidOperationException("The channel is not open.");

    /// <summary>How far the app has come.</summary>
    public ExecutedRecords Executed { get; } = new();

    /// <summary>Raised at each step forward, and at the end.</summary>
    public ContextEvent Moved { get; } = new();

    /// <summary>True once both directions end.</summary>
    public bool Ended => Gone.IsCancellationRequested;

    /// <summary>Canceled when both directions end. It may be asked for longer than the channel lives.</summary>
    public CancellationToken Gone { get; private set; }

    /// <summary>Makes what reads and writes.</summary>
    /// <param name="services">What outlives the connection.</param>
    /// <param name="checkpoints">The checkpoints that the app is asked for.</param>
    /// <param name="events">Receives what the app says beside its outputs.</param>
    /// <param name="terms">What is asked of the delivery.</param>
    /// <param name="before">What has read the same stream up to here; null if nothing has.</param>
    public void Open(AppServices services, CheckpointExchange checkpoints, IAppEvents events, DeliveryTerms terms, AppInbox? before = null)
    {
        Gone = _end.Token;
        _inbox = dialect.Inbox(connection.Input, services, events, Gone, before);
        _delivery = dialect.Delivery(connection.Output, services, checkpoints, terms);
    }

    /// <summary>Ends both directions; what the app sent and was not released is dropped. False if that was done before.</summary>
    public bool End()
    {
        if (Ended)
        {
            return false;
        }

        _end.Cancel();
        connection.Input.CancelPendingRead();
        Delivery.End();
        Moved.Pulse();
        return true;
    }

    public void Dispose() => _end.Dispose();
}
