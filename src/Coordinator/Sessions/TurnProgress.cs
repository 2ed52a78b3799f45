using Ambrosia.Coordinator.Poison;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>How far an attached app has come.</summary>
/// <param name="services">What outlives the session.</param>
/// <param name="channel">The way to the app.</param>
internal sealed class TurnProgress(AppServices services, AppChannel channel)
{
    private MessagePosition _partlyDone;

    /// <summary>Called with the last record whose turns have all ended, when that moves.</summary>
    public required Action<Lsn> Moved { get; init; }

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done => channel.Executed.Done;

    /// <summary>Every message before this one has ended its turn.</summary>
    public MessagePosition ExecutedBefore => Done.Value < _partlyDone.Lsn ? _partlyDone : new MessagePosition(Done.Next.Value, 0);

    /// <summary>The record whose messages have ended their turns in part, or the one before; what the log is executed through.</summary>
    /// <param name="escaped">Whether part of a turn that has not ended was released.</param>
    public Lsn Executed(bool escaped) => Lsn.Max(escaped ? Done.Next : Done, new Lsn(_partlyDone.Lsn));

    /// <summary>Turns have ended; their outputs were just released.</summary>
    /// <exception cref="ProtocolException">They were not the next ones.</exception>
    public void Ended(Progress progress, Lsn delivered)
    {
        channel.Executed.RequireNext(progress, delivered);
        services.Router.TurnsEnded(progress.Lsn);
        if (progress.RecordComplete)
        {
            services.Check.RecordDone(progress.Lsn);
            DoneWith(new Lsn(progress.Lsn));
        }
        else
        {
            _partlyDone = new MessagePosition(progress.Lsn, progress.MessagesDone);
        }

        services.Guard.Progressed(ExecutedBefore);
    }

    /// <summary>A record holds nothing for the app.</summary>
    public void Unreported(Lsn empty)
    {
        channel.Executed.Skip(empty);
        TellDone();
    }

    /// <summary>The app is done with everything up to a record.</summary>
    public void DoneWith(Lsn lsn)
    {
        channel.Executed.MoveTo(lsn);
        TellDone();
    }

    private void TellDone()
    {
        services.Latency.Done(Done);
        services.Done(Done);
        Moved(Done);
        channel.Moved.Pulse();
    }
}
