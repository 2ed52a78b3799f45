using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// What the log says of messages that kill: a fold over its marks and nothing else, so that every recovery and every replica comes to the
/// same.
/// </summary>
internal sealed class PoisonState
{
    /// <summary>Letters kept at most; beyond that nothing more is quarantined.</summary>
    public const int MostLetters = CoreLimits.MostDeadLetters;

    /// <summary>Bytes of letters kept at most.</summary>
    public const long MostBytes = CoreLimits.MostDeadLetterBytes;

    private readonly SortedDictionary<MessagePosition, DeadLetter> _letters = [];
    private readonly SortedSet<MessagePosition> _skips = [];

    /// <summary>The message, or range, in which the app died last; null if there is none.</summary>
    public Suspect? Suspect { get; private set; }

    /// <summary>Quarantined messages that are still kept, in the order of the log.</summary>
    public IReadOnlyCollection<DeadLetter> Letters => _letters.Values;

    /// <summary>Bytes of all letters.</summary>
    public long Bytes { get; private set; }

    /// <summary>Messages that no replay may execute, dropped and re-driven ones included.</summary>
    public IReadOnlyCollection<MessagePosition> Skips => _skips;

    /// <summary>The last record with marks that are included.</summary>
    public Lsn Through { get; private set; }

    /// <summary>
    /// True when a checkpoint of this record needs to say nothing: neither is there anything, nor could a mark behind it be taken for a
    /// new one.
    /// </summary>
    public bool IsEmptyFor(Lsn checkpoint) =>
        Suspect is null && _letters.Count == 0 && Through <= checkpoint && !SkipsBehind(checkpoint).Any();

    public DeadLetter? Find(MessagePosition position) => _letters.GetValueOrDefault(position);

    /// <summary>Takes the marks of a durable record; those that were included already are ignored.</summary>
    public void Apply(List<QuarantineStep> marks, Lsn at, long timestamp)
    {
        if (marks.Count == 0 || at <= Through)
        {
            return;
        }

        foreach (QuarantineStep mark in marks)
        {
            Apply(mark, timestamp);
        }

        Through = at;
    }

    private void Apply(QuarantineStep mark, long timestamp)
    {
        switch (mark.Step)
        {
            case PoisonStep.Suspected:
                Suspect = Suspect.Of(mark);
                break;
            case PoisonStep.Cleared:
                Suspect = null;
                break;
            case PoisonStep.Quarantined:
                _skips.Add(mark.First);
                Keep(mark.Letter! with { DecidedAt = timestamp, By = mark.Text, Reason = mark.Detail });
                Suspect = Suspect?.Contains(mark.First) == true ? null : Suspect;
                break;
            case PoisonStep.Redriven or PoisonStep.Dropped:
                Forget(mark.First);
                break;
            default:
                break; // Only replicas that follow the log while it is written act upon the others: OpenDecisions.
        }
    }

    /// <summary>Writes what a checkpoint of the given record needs.</summary>
    public void Write(IBufferWriter<byte> output, Lsn checkpoint)
    {
        var writer = new ByteWriter(output);
        writer.WriteVarint(Through.Value);
        writer.WriteByte(Suspect is null ? (byte)0 : (byte)1);
        Suspect?.ToMark().Write(output);
        MessagePosition[] skips = [.. SkipsBehind(checkpoint)];
        writer.WriteVarint((ulong)skips.Length);
        foreach (MessagePosition skip in skips)
        {
            writer.WriteVarint(skip.Lsn);
            writer.WriteVarint((ulong)skip.Index);
        }

        writer.WriteVarint((ulong)_letters.Count);
        foreach (DeadLetter letter in _letters.Values)
        {
            letter.Write(output);
        }
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static PoisonState Read(ref ByteReader reader)
    {
        var state = new PoisonState { Through = new Lsn(reader.ReadVarint("marks through")) };
        if (reader.ReadByte("suspect there") != 0)
        {
            state.Suspect = Suspect.Of(QuarantineStep.Read(ref reader));
        }

        for (int n = reader.ReadCount("skips"); n > 0; n--)
        {
            state._skips.Add(MessagePosition.Read(ref reader, "skip"));
        }

        for (int n = reader.ReadLength(MostLetters, "letters"); n > 0; n--)
        {
            state.Keep(DeadLetter.Read(ref reader));
        }

        return state;
    }

    /// <summary>Those that a replay from the checkpoint can still meet; the others are of messages that it includes.</summary>
    public IEnumerable<MessagePosition> SkipsBehind(Lsn checkpoint) => _skips.Where(skip => skip.Lsn > checkpoint.Value);

    private void Keep(DeadLetter letter)
    {
        Forget(letter.Position);
        _letters.Add(letter.Position, letter);
        Bytes += letter.Message.Length;
    }

    private void Forget(MessagePosition position)
    {
        if (_letters.Remove(position, out DeadLetter? gone))
        {
            Bytes -= gone.Message.Length;
        }
    }
}
