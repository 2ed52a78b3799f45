using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>How far an app has come: records of which it reports the end, and those in between that hold nothing for it.</summary>
internal sealed class ExecutedRecords
{
    // Ranges: an app that is in one turn for long gets behind by any number of empty records.
    private readonly Queue<(Lsn First, Lsn Last)> _passedOver = new();
    private (Lsn First, Lsn Last) _newest;

    /// <summary>Last record whose turns have all ended.</summary>
    public Lsn Done { get; private set; }

    /// <summary>The app is not given this record: it counts as soon as all before it do.</summary>
    public void Skip(Lsn empty)
    {
        if (_newest.Last.Next == empty && empty > Lsn.None.Next && _newest.Last > Done)
        {
            _newest.Last = empty;
        }
        else
        {
            if (_newest.Last > Done)
            {
                _passedOver.Enqueue(_newest);
            }

            _newest = (empty, empty);
        }

        MoveTo(Done);
    }

    /// <summary>All turns up to this record have ended.</summary>
    public void MoveTo(Lsn lsn)
    {
        Done = lsn;
        while (_passedOver.TryPeek(out (Lsn First, Lsn Last) range) && range.First <= Done.Next)
        {
            Done = Lsn.Max(Done, _passedOver.Dequeue().Last);
        }

        if (_passedOver.Count == 0 && _newest.First <= Done.Next)
        {
            Done = Lsn.Max(Done, _newest.Last);
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
