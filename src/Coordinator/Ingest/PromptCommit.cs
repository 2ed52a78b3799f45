using Ambrosia.LogStore.Append;

namespace Ambrosia.Coordinator.Ingest;

/// <summary>
/// Publishes what the core has put into the log. Little is committed on the core's own thread once everything has run that was due before:
/// it is in the same record then, and the core would often only have waited for another thread to sync it.
/// </summary>
internal sealed class PromptCommit(SynchronizationContext context, Func<Action, bool> guard, LogAppender appender)
{
    private bool _posted;

    /// <summary>The reservation of so many bytes is filled.</summary>
    public void Publish(in PageReservation reservation, int size)
    {
        if (size > LogAppender.SmallPayload)
        {
            reservation.Publish();
            return;
        }

        reservation.PublishQuietly();
        if (!_posted)
        {
            _posted = true;
            context.Post(static state => ((PromptCommit)state!).Run(), this);
        }
    }

    private void Run() => guard(Commit);

    private void Commit()
    {
        _posted = false;
        appender.Commit();
    }
}
