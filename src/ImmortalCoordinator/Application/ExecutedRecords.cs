using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Application;

/// <summary>How far an app has come: records of which it reports the end, and those in between that hold nothing for it.</summary>
internal sealed class ExecutedRecords
{
    private readonly Queue<Lsn> _passedOver = new();

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done { get; private set; }

    /// <summary>The app is not given this record: it counts as soon as all before it do.</summary>
    public void PassOver(Lsn empty)
    {
        _passedOver.Enqueue(empty);
        MoveTo(Done);
    }

    /// <summary>All turns up to this record have ended.</summary>
    public void MoveTo(Lsn lsn)
    {
        Done = lsn;
        while (_passedOver.TryPeek(out Lsn next) && next <= Done.Next)
        {
            Done = Lsn.Max(Done, _passedOver.Dequeue());
        }
    }

    /// <summary>Record by record: what a record's turns sent is compared at replay, so no mark may cover two of them.</summary>
    /// <exception cref="ProtocolException">The app reports another record than the next one, or one that it was not given.</exception>
    public void RequireNext(Progress progress, Lsn delivered)
    {
        if (progress.Lsn != Done.Next.Value || progress.Lsn > delivered.Value)
        {
            throw new ProtocolException($"progress at record {progress.Lsn}; {Done} was done, {delivered} delivered", 0);
        }
    }
}
