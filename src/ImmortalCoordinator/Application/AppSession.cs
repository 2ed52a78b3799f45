using System.IO.Pipelines;
using Ambrosia.ImmortalCoordinator.Admin;
using Ambrosia.ImmortalCoordinator.Core;
using Ambrosia.ImmortalCoordinator.State;
using Ambrosia.ImmortalCoordinator.Transport;
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
    private readonly StateQuestions _questions = new();
    private byte[]? _initialMessage;
    private MessagePosition _partlyDone;
    private bool _primary;
    private readonly CancellationTokenSource _end = new();

    public AppSession(IDuplexPipe connection, IAppFraming framing, bool version2, AppServices services, bool steps = false)
    {
        Process = connection as IAppProcess;
        _connection = connection;
        _framing = framing;
        _version2 = version2;
        _services = services;
        _inbox = new AppInbox(connection.Input, version2, services.Limits, services.Router, this, _end.Token);
        _checkpoints = new CheckpointExchange(services);
        _delivery = new Delivery(connection.Output, framing, version2, services, _checkpoints, PassedOver)
        {
            // Nothing that was released before its end can be told from what comes again.
            Steps = steps ? services.Guard.State.Suspect : null,
            HasDone = position => position < FirstUnfinished,
        };
    }

    /// <summary>Why the app said it leaves; null while it has not said so.</summary>
    public string? Farewell { get; private set; }

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done { get; private set; }

    public bool IsPrimary => _primary;

    public long EscapedTurns => _inbox.EscapedTurns;

    /// <summary>True while part of a turn that has not ended was released.</summary>
    public bool EscapedOpenTurn => !_version2 || _inbox.EscapedOpenTurn;

    /// <summary>Every message before this one has ended its turn.</summary>
    public MessagePosition FirstUnfinished => Done.Value < _partlyDone.Lsn ? _partlyDone : new MessagePosition(Done.Next.Value, 0);

    /// <summary>Last message that was written to the app.</summary>
    public MessagePosition LastDelivered => new(_delivery.Delivered.Value, _delivery.DeliveredIndex);

    /// <summary>Message whose turn the app has announced last; null if none.</summary>
    public MessagePosition? Running { get; private set; }

    /// <summary>Message whose handler threw last although nobody waits for it; null if none.</summary>
    public MessagePosition? FaultedAt { get; private set; }

    /// <summary>The process behind the connection; null if the connection cannot know it.</summary>
    public IAppProcess? Process { get; }

    /// <summary>The connection ended by itself: the other side has gone without being asked to.</summary>
    public bool LinkLost { get; private set; }

    /// <summary>This coordinator ended the app because a handler took too long.</summary>
    public bool KilledByDeadline { get; private set; }

    /// <summary>Ends the app's process; false if that is not possible.</summary>
    public bool KillForDeadline() => KilledByDeadline = Process?.Kill() == true;

    /// <summary>Asks for a checkpoint behind the next record that is delivered, or at once when the app is idle.</summary>
    public void RequestCheckpoint() => _delivery.RequestCheckpoint();

    /// <summary>Something became durable.</summary>
    public void Wake() => _delivery.Wake();

    /// <summary>A message of the coordinator's own to a version 2 app, between records.</summary>
    public void Send(BindingMessageType type, byte[] data) => _delivery.Send(type, data);

    /// <summary>Asks a version 2 app for its state.</summary>
    public void RequestState(bool hashOnly, TaskCompletionSource<AppState> told)
    {
        if (_version2)
        {
            (byte[] data, Action<Lsn> written) = _questions.Ask(hashOnly, told);
            _delivery.Send(BindingMessageType.StateRequest, data, written);
        }
        else
        {
            told.TrySetException(new InvalidOperationException("The app speaks the published protocol, which has no message for that."));
        }
    }

    /// <summary>Runs to the end of the connection; false if it must not be followed by another attempt of this app.</summary>
    public async Task RunAsync()
    {
        _services.Latency.Reset();
        Task reading = GuardAsync(_inbox.ReadAsync);
        Task writing = GuardAsync(WriteAsync);
        await Task.WhenAll(reading, writing);
        _questions.End();
    }

    /// <summary>Ends both loops; what the app sent and was not released is dropped.</summary>
    public void End()
    {
        if (!_end.IsCancellationRequested)
        {
            _end.Cancel();
            _connection.Input.CancelPendingRead();
            _delivery.End();
            (_connection as IConnection)?.Abort();
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

        bool written = await _checkpoints.ReceiveAsync(input, size);
        if (first && !written)
        {
            // Nothing is logged before there is a checkpoint to replay from: the next app makes its first start again.
            throw new IOException("the first checkpoint could not be written");
        }

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
        else
        {
            _partlyDone = new MessagePosition(progress.Lsn, progress.MessagesDone);
        }

        _services.Guard.Progressed(FirstUnfinished);
        if (_delivery.Steps is not null)
        {
            _delivery.Wake();
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

    void IAppEvents.HandlerFaulted(byte[] data)
    {
        HandlerFault fault = HandlerFault.Read(data);
        Running = FaultedAt = new MessagePosition(fault.Lsn, (int)Math.Min(fault.Index, int.MaxValue));
        _services.HandlerFaulted(fault);
    }

    void IAppEvents.TurnIsRunning(byte[] data) => Running = TurnRunning.Read(data).Position;

    void IAppEvents.StateTold(byte[] data) => _questions.Answered(data);

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

        _services.Latency.Done(Done);
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
        foreach (MessagePosition skip in _services.Guard.State.Skips.Where(skip => _version2 && skip.Lsn > image.Lsn.Value))
        {
            _delivery.Send(BindingMessageType.Skip, Encode(skip));
        }

        DoneWith(image.Lsn);
        await _delivery.RunAsync(image.Lsn, attachedAt, image.Head.Inputs, firstStart: false);
    }

    private static byte[] Encode(MessagePosition position)
    {
        byte[] data = new byte[MessagePosition.MaxSize];
        return data[..position.Write(data)];
    }

    private async Task GuardAsync(Func<Task> loop)
    {
        try
        {
            await loop();
            LinkLost |= !_end.IsCancellationRequested;
        }
        catch (ProtocolException error)
        {
            CoreLog.AppOffended(_services.Logger, error.Message);
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            LinkLost |= !_end.IsCancellationRequested; // The connection broke: the app has gone.
        }
        catch (OperationCanceledException)
        {
            LinkLost |= !_end.IsCancellationRequested; // Else this side has ended it.
        }
        finally
        {
            End();
        }
    }
}
