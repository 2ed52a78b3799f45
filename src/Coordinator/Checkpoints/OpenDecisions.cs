using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Checkpoints;

/// <summary>
/// What a secondary has read of decisions that the primary has begun and not ended. A checkpoint that contains such a message would hold
/// what, by the time that it has its name, may never have happened.
/// </summary>
internal sealed class OpenDecisions
{
    private readonly HashSet<MessagePosition> _weighed = [];
    private ulong _epoch;

    /// <summary>Takes the marks of a record that the log proves durable.</summary>
    public void Followed(ulong epoch, IEnumerable<QuarantineStep> marks)
    {
        if (epoch > _epoch)
        {
            // The primary that proposed them has lost the right to append, and can log no end of it any more.
            _weighed.Clear();
            _epoch = epoch;
        }

        foreach (QuarantineStep mark in marks)
        {
            _ = mark.Step switch
            {
                PoisonStep.QuarantineProposed => _weighed.Add(mark.First),
                PoisonStep.Quarantined or PoisonStep.QuarantineRejected => _weighed.Remove(mark.First),
                _ => false,
            };
        }
    }

    /// <summary>Whether a checkpoint after this record contains a message of which nobody can say yet whether it was executed.</summary>
    public bool Bar(Lsn checkpoint) => _weighed.Any(message => message.Lsn <= checkpoint.Value);
}
