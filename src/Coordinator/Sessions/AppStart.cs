using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>
/// How an attached app begins: for the first time, with the newest checkpoint, or where it has come to beside its predecessor. What
/// follows is delivered to it until its connection ends.
/// </summary>
/// <param name="services">What outlives the session.</param>
/// <param name="channel">The way to the app.</param>
/// <param name="checkpoints">What it saves.</param>
/// <param name="features">Bits agreed on.</param>
/// <param name="builds">What the app says of its build; null if it says nothing.</param>
/// <param name="doneWith">Called with a record behind which the app begins.</param>
internal sealed class AppStart(
    AppServices services, AppChannel channel, CheckpointExchange checkpoints, ulong features, BuildChange? builds, Action<Lsn> doneWith)
{
    private AppDelivery Delivery => channel.Delivery;

    private LogPosition Position => services.Position;

    /// <summary>Begins, and delivers until the connection ends.</summary>
    /// <param name="from">The app's life beside its predecessor; null if it has no state yet.</param>
    public async Task RunAsync(Continuation? from)
    {
        if (!Position.HasCheckpoint)
        {
            await BeginFirstAsync();
            return;
        }

        await using CheckpointImage image = await CheckpointImage.OpenAsync(
            services.Log, Position.Durable, Position.HasFollowed, services.Checkpoints.TakeVerified());
        if (from is not null)
        {
            await ContinueAsync(image, from.At);
            return;
        }

        UpgradeGate gate = Delivery.Gate = channel.Dialect.GateBehind(image.Lsn, services.State.Upgrades, features);
        if (gate.HasCrossings && !channel.Dialect.Crosses(features))
        {
            await RefuseAsync(image);
            return;
        }

        services.Check.Begin(image.Lsn.Value, Position.ReplayThrough.Value);
        builds?.BeginBehind(image.Lsn);
        await image.ReattachAsync(services.State);
        Delivery.ReplayThrough = Position.ReplayThrough;
        await Delivery.SendCheckpointAsync(image);
        Delivery.SendSkips(services.State.Poison.SkipsBehind(image.Lsn));
        doneWith(image.Lsn);
        await Delivery.RunAsync(image.Lsn, image.Head, firstStart: false);
    }

    private async Task BeginFirstAsync()
    {
        services.Check.Begin(0, 0);
        services.State.BeginFirstStart();
        checkpoints.Expect(new ExpectedCheckpoint(Lsn.None, [], LargestMessage: 0, Awakeables: null));
        channel.Dialect.Framing.WriteControl(channel.Output, BindingMessageType.TakeBecomingPrimaryCheckpoint);
        await channel.Output.FlushAsync();
        await Delivery.RunAsync(Lsn.None, new CheckpointHead(), firstStart: true);
    }

    // The app has been here all the time, beside its predecessor, and holds what this checkpoint holds.
    private async Task ContinueAsync(CheckpointImage image, Lsn at)
    {
        if (image.Lsn != at)
        {
            throw new IOException("the checkpoint of the upgrade cannot be read; the app attaches again and recovers");
        }

        services.Check.Begin(at.Value, 0);
        await image.ReattachAsync(services.State);
        Delivery.SendSkips(services.State.Poison.SkipsBehind(at));
        doneWith(at);
        Delivery.ReplayThrough = at;
        await Delivery.RunAsync(at, image.Head, firstStart: false);
    }

    private async Task RefuseAsync(CheckpointImage image)
    {
        VersionChange crossing = services.State.Upgrades.Behind(image.Lsn).First();
        var refused = new BindingRefused(
            VersionErrors.ConversionMissing,
            $"the state became {crossing.To} after record {crossing.At}, and the newest checkpoint that can be read is of "
            + $"{crossing.From}: start the app that converts it");
        CoreLog.AppRefused(services.Logger, refused.Code, refused.Reason);
        await Version2Framing.SendAsync(channel.Output, BindingMessageType.Refused, refused.Write);
        while (!channel.Ended)
        {
            await channel.Moved.WaitAsync(); // It leaves when it has read that.
        }
    }
}
