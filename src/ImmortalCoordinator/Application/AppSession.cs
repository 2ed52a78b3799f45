using System.IO.Pipelines;
using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>
/// One attached app, from its restoration to the end of its connection. Two loops: delivery writes checkpoint, records and
/// requests; the inbox reads outputs and marks. Both end together.
/// </summary>
internal sealed class AppSession : IAppEvents, IDisposable
{
    private readonly IDuplexPipe _connection;
    private readonly bool _version2;
    private readonly AppServices _services;
    private readonly AppInbox _inbox;
    private readonly Delivery _delivery;
    private readonly CheckpointExchange _checkpoints;
    private readonly IAppFraming _framing;
    private readonly Queue<Lsn> _passedOver = new();
    private byte[]? _initialMessage;
    private bool _primary;
    private readonly CancellationTokenSource _end = new();

    public AppSession(IDuplexPipe connection, IAppFraming framing, bool version2, AppServices services)
    {
        _connection = connection;
        _framing = framing;
        _version2 = version2;
        _services = services;
        _inbox = new AppInbox(connection.Input, version2, services.Limits, services.Router, this, _end.Token);
        _checkpoints = new CheckpointExchange(services);
        _delivery = new Delivery(connection.Output, framing, version2, services, _checkpoints, PassedOver);
    }

    /// <summary>Why the app said it leaves; null while it has not said so.</summary>
    public string? Farewell { get; private set; }

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done { get; private set; }

    public bool IsPrimary => _primary;

    public long EscapedTurns => _inbox.EscapedTurns;

    /// <summary>Asks for a checkpoint behind the next record that is delivered, or at once when the app is idle.</summary>
    public void RequestCheckpoint() => _delivery.RequestCheckpoint();

    /// <summary>Something became durable.</summary>
    public void Wake() => _delivery.Wake();

    /// <summary>A message of the coordinator's own to a version 2 app, between records.</summary>
    public void Send(BindingMessageType type, byte[] data) => _delivery.Send(type, data);

    /// <summary>Runs to the end of the connection; false if it must not be followed by another attempt of this app.</summary>
    public async Task RunAsync()
    {
        Task reading = GuardAsync(_inbox.ReadAsync);
        Task writing = GuardAsync(WriteAsync);
        await Task.WhenAll(reading, writing);
    }

    /// <summary>Ends both loops; what the app sent and was not released is dropped.</summary>
    public void End()
    {
        if (!_end.IsCancellationRequested)
        {
            _end.Cancel();
            _connection.Input.CancelPendingRead();
            _delivery.End();
            (_connection as Transport.IConnection)?.Abort();
        }
    }

    public void Dispose() => _end.Dispose();

    async ValueTask IAppEvents.CheckpointAsync(PipeReader input, long size)
    {
        bool first = !_services.HasCheckpoint;
        if (first)
        {
            if (_initialMessage is null)
            {
                throw new ProtocolException("the first checkpoint came before InitialMessage", 0);
            }

            await _services.SeedAsync(_initialMessage);
        }

        await _checkpoints.ReceiveAsync(input, size);
        if (first)
        {
            await _services.FirstCheckpointTakenAsync();
        }

        if (!_version2)
        {
            // The published protocol has no other sign that the app has become the primary.
            BecomePrimary();
        }

        _delivery.Wake();
    }

    void IAppEvents.InitialMessage(byte[] message)
    {
        if (_services.HasCheckpoint || _initialMessage is not null)
        {
            throw new ProtocolException("InitialMessage after the first start", 0);
        }

        (int count, int replayable) = MessageScanner.Count(message);
        _initialMessage = count == 1 && replayable == 1
            ? message
            : throw new ProtocolException($"InitialMessage holds {replayable} replayable messages of {count}; it must be one", 0);
    }

    void IAppEvents.Progressed(Progress progress)
    {
        // Record by record: what a record's turns sent is compared at replay, so no mark may cover two of them.
        if (progress.Lsn != Done.Next.Value || progress.Lsn > _delivery.Delivered.Value)
        {
            throw new ProtocolException($"progress at record {progress.Lsn}; {Done} was done, {_delivery.Delivered} delivered", 0);
        }

        if (progress.RecordComplete)
        {
            _services.Check.RecordDone(progress.Lsn);
            DoneWith(new Lsn(progress.Lsn));
        }
    }

    void IAppEvents.BecamePrimary()
    {
        if (!_delivery.PrimaryAnnounced)
        {
            throw new ProtocolException("BecomingPrimary from an app that was not told so", 0);
        }

        BecomePrimary();
    }

    void IAppEvents.RequirePrimary()
    {
        if (!_primary)
        {
            throw new ProtocolException("impulse before the app consumed BecomingPrimary", 0);
        }
    }

    void IAppEvents.CheckpointWanted() => _delivery.RequestCheckpoint();

    void IAppEvents.HandlerFaulted(byte[] data) => _services.HandlerFaulted(data);

    void IAppEvents.Leaving(string reason) => Farewell = reason;

    private void PassedOver(Lsn empty)
    {
        _passedOver.Enqueue(empty);
        DoneWith(Done);
    }

    private void DoneWith(Lsn lsn)
    {
        Done = lsn;
        while (_passedOver.TryPeek(out Lsn next) && next <= Done.Next)
        {
            Done = Lsn.Max(Done, _passedOver.Dequeue());
        }

        _services.AppDone(Done);
    }

    private void BecomePrimary()
    {
        if (!_primary)
        {
            _primary = true;
            _services.Check.ReplayEnded();
            _services.BecamePrimary();
        }
    }

    private async Task WriteAsync()
    {
        if (!_services.HasCheckpoint)
        {
            _services.Check.Begin(0);
            _services.BeginFirstStart();
            _checkpoints.Expect(Lsn.None, []);
            _framing.WriteControl(_connection.Output, BindingMessageType.TakeBecomingPrimaryCheckpoint);
            await _connection.Output.FlushAsync();
            await _delivery.RunAsync(Lsn.None, Lsn.None, [], firstStart: true);
            return;
        }

        await using CheckpointImage image = await CheckpointImage.OpenAsync(_services.Log, _services.Durable);
        _services.Check.Begin(_services.Durable.Value);
        await _services.ReattachAsync(image);
        Lsn attachedAt = _services.Durable;
        await _delivery.SendCheckpointAsync(image);
        DoneWith(image.Lsn);
        await _delivery.RunAsync(image.Lsn, attachedAt, image.Head.Inputs, firstStart: false);
    }

    private async Task GuardAsync(Func<Task> loop)
    {
        try
        {
            await loop();
        }
        catch (ProtocolException error)
        {
            CoreLog.AppOffended(_services.Logger, error.Message);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            // The connection broke: the app has gone.
        }
        catch (OperationCanceledException)
        {
            // The session was ended.
        }
        finally
        {
            End();
        }
    }
}
