using System.IO.Pipelines;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Upgrades;

/// <summary>
/// An app beside the one that serves: it follows the live log by its old code, is held at the same record, converts its state, and is
/// ready to act when its checkpoint is the newest. Until then nothing that it does has an effect, and whatever goes wrong, the other goes
/// on (docs/internals/upgrades.md).
/// </summary>
internal sealed class UpgradeCandidate : IAppEvents, IDisposable
{
    private readonly AppChannel _channel;
    private readonly AppServices _services;
    private readonly AppServices _shadow;
    private readonly CheckpointExchange _checkpoints;
    private readonly UpgradeGate _gate;
    private readonly CheckpointImage _image;
    private readonly Lsn _newestUpgrade;
    private UpgradeFailure? _failure;
    private bool _receiving;
    private string? _farewell;
    private Exception? _broken;

    /// <summary>Made when the app has been welcomed.</summary>
    /// <param name="connection">The app's connection.</param>
    /// <param name="services">What the serving app's sessions share.</param>
    /// <param name="shadow">The same log, with nothing behind it.</param>
    /// <param name="image">The newest checkpoint; the caller disposes it.</param>
    /// <param name="features">Bits agreed on.</param>
    public UpgradeCandidate(IConnection connection, AppServices services, AppServices shadow, CheckpointImage image, ulong features)
    {
        (_services, _shadow, _image) = (services, shadow, image);
        _checkpoints = new CheckpointExchange(services);
        _gate = new UpgradeGate(services.State.Upgrades.Behind(image.Lsn), features | BindingFeatures.Upgrades) { IsCandidate = true };
        _newestUpgrade = services.State.Upgrades.Newest;
        _channel = new AppChannel(connection, new BindingDialect());
        var limit = new StreamedLimit(connection.Output, services.Limits, (features & BindingFeatures.Limits) != 0);
        var key = new StreamedKey(connection.Output, (features & BindingFeatures.Awakeables) != 0);
        _channel.Open(shadow, _checkpoints, this, new DeliveryTerms(static _ => true, Unreported, limit, key));
        Delivery.Gate = _gate;
    }

    /// <summary>Its life so far; the session that follows goes on with it.</summary>
    public Continuation Continuation => new(_channel.Inbox, At);

    /// <summary>The record after which it replaces the serving app.</summary>
    public Lsn At { get; private set; }

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done => _channel.Executed.Done;

    /// <summary>Raised at each step forward, and when the connection has ended.</summary>
    public ContextEvent Moved => _channel.Moved;

    /// <summary>Canceled when its connection ends.</summary>
    public CancellationToken Gone => _channel.Gone;

    /// <summary>The upgrade that it has made, or tries to make.</summary>
    public VersionChange? Mark { get; private set; }

    /// <summary>Whether the app has said what it holds and wants.</summary>
    public bool HasTold => _gate.Version is not null;

    /// <summary>
    /// Its checkpoint is the one that a recovery would begin at: the new version is the one, whatever happens to this app.
    /// </summary>
    public bool IsCommitted { get; private set; }

    private AppDelivery Delivery => _channel.Delivery;

    /// <inheritdoc/>
    public bool HasHandedOver { get; private set; }

    /// <summary>
    /// Runs both directions until the app has been handed over or its connection ends; completes when neither is used any more.
    /// </summary>
    public async Task RunAsync()
    {
        Task reading = GuardAsync(_channel.Inbox.ReadAsync);
        Task writing = GuardAsync(WriteAsync);
        await reading;
        await writing;
    }

    /// <summary>Ends it at once.</summary>
    public void End()
    {
        if (_channel.End())
        {
            _services.AbandonUpgrade();
        }
    }

    /// <summary>Tells the app why it is refused, and ends it as soon as that is written.</summary>
    public void Refuse(ErrorCode error, string reason)
    {
        Delivery.Send(BindingMessageType.Refused, new BindingRefused(error, reason).ToBytes());
        Delivery.HandOver();
    }

    /// <summary>Lets it execute up to this record.</summary>
    public void Follow(Lsn through)
    {
        _shadow.Position.Durable = Lsn.Max(_shadow.Position.Durable, through);
        Delivery.Wake();
    }

    /// <summary>
    /// Converts the state after the record at which both apps are held, and makes it the instance's: true once the new checkpoint is the
    /// newest and the log says so.
    /// </summary>
    /// <returns>Null if it replaced the serving app; else why only suspended calls were in the way.</returns>
    /// <exception cref="UpgradeAbandonedException">It cannot.</exception>
    public async Task<string?> ConvertAsync(CancellationToken limit)
    {
        At = Done;
        _failure = null;
        Mark = _gate.Proposed(At);
        _checkpoints.Expect(Delivery.ExpectedAt(At));
        Delivery.AskToConvert("");
        try
        {
            while (!HasHandedOver && _failure is null)
            {
                await MovedAsync(limit);
            }
        }
        catch (OperationCanceledException) when (_checkpoints.HasAll && _failure is null)
        {
            // It may be the newest at any moment, and then this app has the place: its connection must not be one that was ended.
            while (!HasHandedOver)
            {
                await MovedAsync(CancellationToken.None);
            }
        }
        catch (OperationCanceledException)
        {
            // What has not come by now comes too late; what is just coming ends with the connection.
            Mark = _receiving ? Mark : null;
            End();
            throw;
        }

        if (_failure is { } failure)
        {
            _checkpoints.Forget();
            Mark = null;
            return failure.MayPass ? failure.Reason : throw new UpgradeAbandonedException(failure.Reason);
        }

        return null;
    }

    /// <summary>
    /// Throws if the log tells of an upgrade that it did not tell of when this app began: it has executed, by the old version, what lies
    /// behind that.
    /// </summary>
    public void ThrowIfUpgraded()
    {
        if (_services.State.Upgrades.Newest != _newestUpgrade)
        {
            throw new UpgradeAbandonedException(
                "the app that serves has upgraded the state itself meanwhile; try again if the new version is not the one that serves now");
        }
    }

    /// <summary>What the log is told before it is tried.</summary>
    public VersionChange Planned() => _gate.Proposed(Lsn.None);

    /// <summary>Completes at its next step; throws when it has gone.</summary>
    public async Task MovedAsync(CancellationToken limit)
    {
        ThrowIfGone();
        await FirstOf.OrCancelAsync(Moved.WaitAsync(), limit);
        ThrowIfGone();
    }

    /// <summary>Throws when the app has gone, or cannot follow the log.</summary>
    public void ThrowIfGone()
    {
        if (_failure is { } failure && _gate.Current is { } crossing)
        {
            // What lies behind that upgrade was executed by a version that this app cannot become.
            throw new UpgradeAbandonedException(
                $"the new app cannot follow the log through its upgrade from {crossing.From} to {crossing.To} after record {crossing.At}: "
                + $"{failure.Reason}");
        }

        if (_channel.Ended && !HasHandedOver)
        {
            throw new UpgradeAbandonedException(_farewell ?? _broken?.Message ?? "the new app has gone");
        }
    }

    public void Dispose() => _channel.Dispose();

    async ValueTask IAppEvents.CheckpointAsync(PipeReader input, long size)
    {
        if (_gate.Closed)
        {
            await CheckpointExchange.DiscardAsync(input, size);
            _gate.Open();
            Delivery.Wake();
            return;
        }

        if (Mark is not { } mark)
        {
            throw new ProtocolException("a checkpoint that was not asked for", 0);
        }

        _receiving = true;
        if (!await _checkpoints.ReceiveAsync(input, size, mark))
        {
            Mark = null;
            throw new IOException("the converted state could not be written: see the log");
        }

        IsCommitted = true;
        Failpoint.Pass("K24");
        await _services.Decisions.LogAsync(mark);
        Failpoint.Pass("K27");
        HasHandedOver = true;
        Delivery.HandOver();
        CoreLog.Upgraded(_services.Logger, mark.From, mark.To, mark.At.Value);
        Moved.Pulse();
    }

    void IAppEvents.Progressed(Progress progress)
    {
        _channel.Executed.RequireNext(progress, Delivery.Delivered);
        if (progress.RecordComplete)
        {
            _shadow.Check.RecordDone(progress.Lsn);
            DoneWith(new Lsn(progress.Lsn));
            if (_shadow.Check.IsBehind)
            {
                Delivery.Wake();
            }
        }
    }

    void IAppEvents.LegacySent()
    {
    }

    void IAppEvents.VersionTold(StateVersion version)
    {
        _gate.Told(version);
        Delivery.Wake();
        Moved.Pulse();
    }

    ValueTask IAppEvents.ContractToldAsync(BindingContract contract) =>
        throw new ProtocolException("a contract from an app that only follows", 0);

    void IAppEvents.ShapesTold(BindingShapes shapes) => throw new ProtocolException("shapes of an app that only follows", 0);

    void IAppEvents.EffectsWereTold(EffectsTold told) => throw new ProtocolException("effects of an app that only follows", 0);

    void IAppEvents.RoutinesWereTold(RoutinesTold told) => throw new ProtocolException("schedules of an app that only follows", 0);

    void IAppEvents.UpgradeFailed(UpgradeFailure failure)
    {
        _failure = failure;
        Moved.Pulse();
    }

    void IAppEvents.LeaveWanted(string reason) => _farewell = $"the new app leaves: {reason}";

    void IAppEvents.Leaving(string reason) => _farewell = $"the new app leaves: {reason}";

    void IAppEvents.InitialMessage(byte[] message) => throw new ProtocolException("InitialMessage from an app that only follows", 0);

    // An upgrade ends with a checkpoint of its own. What this build executes lies behind it.
    void IAppEvents.BuildTold(BuildCompared compared)
    {
        Mark = Mark is null ? null : Mark with { Build = compared.Build };
    }

    void IAppEvents.CheckpointDeclined(CheckpointDeclined answer) =>
        throw new ProtocolException("a declined checkpoint from an app that was not asked for one", 0);

    void IAppEvents.BecamePrimary() => throw new ProtocolException("BecomingPrimary from an app that only follows", 0);

    void IAppEvents.RequirePrimary() => throw new ProtocolException("impulse from an app that only follows", 0);

    void IAppEvents.Pinged(byte[] data)
    {
    }

    void IAppEvents.CheckpointWanted()
    {
    }

    void IAppEvents.HandlerFaulted(byte[] data)
    {
    }

    void IAppEvents.TurnIsRunning(byte[] data)
    {
    }

    void IAppEvents.StateTold(byte[] data)
    {
    }

    void IAppEvents.QueryAnswered(byte[] data)
    {
    }

    private async Task WriteAsync()
    {
        _shadow.Check.Begin(_image.Lsn.Value, ulong.MaxValue);
        await _image.ReadEntriesAsync(static (_, _, _, _) => default);
        await Delivery.SendCheckpointAsync(_image);
        Delivery.SendSkips(_services.State.Poison.SkipsBehind(_image.Lsn));
        DoneWith(_image.Lsn);
        Delivery.ReplayThrough = new Lsn(ulong.MaxValue);
        await Delivery.RunAsync(_image.Lsn, _image.Head, firstStart: false);
    }

    private void Unreported(Lsn empty)
    {
        _channel.Executed.Skip(empty);
        Moved.Pulse();
    }

    private void DoneWith(Lsn lsn)
    {
        _channel.Executed.MoveTo(lsn);
        Moved.Pulse();
    }

    private async Task GuardAsync(Func<Task> loop)
    {
        try
        {
            await loop();
        }
        catch (Exception error) when (error is not IOException io || !Breakage.OfConnection(io))
        {
            // Also what an app in this very process died of: its pipe hands it over.
            _broken ??= error is OperationCanceledException ? null : error;
        }
        catch (IOException error) when (Breakage.OfConnection(error))
        {
            // The new app has gone.
        }
        finally
        {
            if (!HasHandedOver)
            {
                End();
            }
        }
    }
}
