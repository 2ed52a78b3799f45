using System.Buffers;
using System.Diagnostics;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// What the log says of one instance: inputs, outputs, messages that kill, versions, and how far it is applied. A checkpoint's head begins
/// it, and <see cref="Apply"/> is the only way a record changes it, whether a recovery, a follower or the primary itself applies the
/// record. Single-threaded by the core's context.
/// </summary>
/// <param name="self">Name of the instance: what it sends to itself is an output and an input.</param>
/// <param name="makeOutput">Makes the buffer of a destination.</param>
/// <param name="limits">Limits that no option sets.</param>
internal sealed class CoordinatorState(string self, Func<string, OutputBuffer> makeOutput, CoreLimits? limits = null) : IAsyncDisposable
{
    /// <summary>All inputs, by the sender's name.</summary>
    public InputTable Inputs { get; } = new(limits);

    /// <summary>All outputs, by destination.</summary>
    public OutputTable Outputs { get; } = new(makeOutput);

    /// <summary>Messages that killed the app, and dead letters.</summary>
    public PoisonState Poison { get; private set; } = new();

    /// <summary>Calls from outside: their keys and answers.</summary>
    public OutsideCalls Outside { get; private set; } = new();

    /// <summary>By what awakeables are named after the last record; null: there are none yet.</summary>
    public AwakeableKey? Awakeables { get; private set; }

    /// <summary>The versions and builds that the app's state has gone through.</summary>
    public UpgradeHistory Upgrades { get; init; } = new();

    /// <summary>The last record that is applied; before the first one, the record of the checkpoint.</summary>
    public Lsn Applied { get; private set; }

    /// <summary>The epoch of that record.</summary>
    public Epoch AppliedEpoch { get; private set; }

    /// <summary>Called for each input whose durable watermark a record of this process has moved, in the order of the record.</summary>
    public Action<InputState> InputMoved { get; set; } = static _ => { };

    /// <summary>Starts without a checkpoint, after the given record.</summary>
    public void BeginBehind(Lsn last) => Applied = last;

    /// <summary>
    /// Starts from a checkpoint (exactly-once.md#recover): all but the output entries, and the versions, which a recovery sets
    /// after it has read what the log says of them.
    /// </summary>
    public void Restore(CheckpointHead head, Lsn checkpoint)
    {
        Applied = checkpoint;
        foreach (InputWatermark input in head.Inputs)
        {
            Inputs.Get(input.Name).Restore(input.SenderId, input.Watermark);
        }

        foreach (OutputWatermark mark in head.Outputs)
        {
            OutputBuffer buffer = Outputs.Get(mark.Destination);
            buffer.Restore(mark.Streamed, mark.Trimmed, mark.ReceiverEpoch, mark.ReceiverId, mark.Dropped);
            buffer.Named();
        }

        Poison = head.Poison;
        Outside = head.Outside;
        Awakeables = head.Awakeables;
    }

    /// <summary>Adds an output entry of the checkpoint.</summary>
    public ValueTask RestoreEntryAsync(string destination, ReadOnlySequence<byte> messages, ulong first, int count) =>
        Outputs.Get(destination).RestoreEntryAsync(messages, first, count);

    /// <summary>
    /// Brings the buffers to where a new app's stream starts (exactly-once.md H5), whether this coordinator has just recovered or
    /// lived on. <see cref="MergeEntryAsync"/> and <see cref="EndReattach"/> follow.
    /// </summary>
    public void BeginReattach(CheckpointHead head)
    {
        foreach (OutputWatermark mark in head.Outputs)
        {
            Outputs.Get(mark.Destination);
        }

        Dictionary<string, OutputWatermark> marks = MarksOf(head);
        foreach (OutputBuffer buffer in Outputs.All)
        {
            OutputWatermark mark = marks.GetValueOrDefault(buffer.Destination);
            buffer.BeginReattach(mark.Trimmed, mark.ReceiverEpoch, mark.Dropped);
        }
    }

    /// <summary>Adds an output entry of that checkpoint, unless it is known.</summary>
    public ValueTask MergeEntryAsync(string destination, ReadOnlySequence<byte> messages, ulong first, int count) =>
        Outputs.Get(destination).MergeEntryAsync(messages, first, count);

    /// <summary>The new app's stream starts after the checkpoint's last output.</summary>
    public void EndReattach(CheckpointHead head)
    {
        Dictionary<string, OutputWatermark> marks = MarksOf(head);
        foreach (OutputBuffer buffer in Outputs.All)
        {
            buffer.EndReattach(marks.GetValueOrDefault(buffer.Destination).Streamed);
        }

        // The log is applied beyond the checkpoint: what it answers is admitted already (outside-calls.md X15).
        Outside.TakeAnswers(head.Outside, now: 0);
    }

    /// <summary>An app that died in its first start may have left its InitialMessage: the next one's takes its number.</summary>
    public void BeginFirstStart()
    {
        foreach (OutputBuffer buffer in Outputs.All)
        {
            buffer.BeginReattach(0, 0);
        }
    }

    /// <summary>
    /// InitialMessage is self-call number 1 (exactly-once.md H15): it goes into the first checkpoint and through the log like any
    /// other.
    /// </summary>
    public ValueTask SeedAsync(byte[] message) => Outputs.Get(self).AppendAsync(new ReadOnlySequence<byte>(message), 1);

    /// <summary>
    /// Applies the next durable record. Marks of quarantined messages must hold the letter. Nothing is awaited, and nobody is told but by
    /// <see cref="InputMoved"/>: what others do about the record follows outside.
    /// </summary>
    /// <param name="marks">What the record says.</param>
    /// <param name="place">Where it stands.</param>
    /// <param name="origin">Where it comes from.</param>
    /// <param name="ownEpoch">The epoch of this process, by which it numbers what it sends.</param>
    /// <exception cref="UnreachableException">
    /// The record is not the next one, or contradicts what is known: a defect, never bad input.
    /// </exception>
    public void Apply(RecordMarks marks, in RecordPlace place, RecordOrigin origin, ulong ownEpoch)
    {
        RequireNext(place);
        (Applied, AppliedEpoch) = (place.Lsn, place.Epoch);
        if (origin == RecordOrigin.Log)
        {
            ApplyExchanged(marks, ownEpoch);
        }
        else
        {
            ApplyOwn(marks, ownEpoch);
        }

        Poison.Apply(marks.Poison, place.Lsn, place.Timestamp);
        ulong fromOutside = Inputs.Find(OutsideNames.Input)?.Durable.Total ?? 0;
        Outside.Apply(marks.Outside, fromOutside, place.Lsn, MillisecondsOf(place.Timestamp));
        NameAwakeables(marks.Awakeables);
        marks.Upgrades.ForEach(Upgrades.Apply);
        marks.Builds.ForEach(Upgrades.Apply);
        foreach (DropPoint drop in marks.Drops)
        {
            Outputs.Get(drop.Destination).Drop(drop.Number);
        }
    }

    /// <summary>
    /// What a checkpoint holds of the outputs at this place in the app's stream, and the given inputs. The caller releases the chunks of
    /// the entries.
    /// </summary>
    /// <param name="inputs">Inputs as of the record that the checkpoint lies behind.</param>
    /// <param name="follows">Whether this process follows a log that another one writes.</param>
    /// <param name="entries">Gets the output entries, each with the index of its output in the head.</param>
    public CheckpointHead Snapshot(IEnumerable<InputWatermark> inputs, bool follows, List<(int Output, OutputSlice Slice)> entries)
    {
        var head = new CheckpointHead { Poison = Poison, Outside = Outside };
        head.Inputs.AddRange(inputs);
        foreach (OutputBuffer buffer in Outputs.All)
        {
            int index = head.Outputs.Count;
            // A follower knows trims from the log only, and may have read them before its app generates what they confirm.
            ulong trimmed = follows ? buffer.Trimmed : buffer.TrimmedOfGenerated;
            head.Outputs.Add(new OutputWatermark(
                buffer.Destination, buffer.Streamed, trimmed, buffer.ReceiverEpoch, buffer.ReceiverId, buffer.Dropped));
            foreach (OutputSlice slice in buffer.SnapshotStreamed())
            {
                entries.Add((index, slice));
            }
        }

        head.EntryCount = entries.Count;
        return head;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => Outputs.DisposeAsync();

    private static Dictionary<string, OutputWatermark> MarksOf(CheckpointHead head) =>
        head.Outputs.ToDictionary(static mark => mark.Destination);

    private static ulong MillisecondsOf(long timestamp) =>
        (ulong)Math.Max(0, (timestamp - DateTime.UnixEpoch.Ticks) / TimeSpan.TicksPerMillisecond);

    // The secret never changes: what was named by it must be known for ever (outside-calls.md X32).
    private void NameAwakeables(AwakeableKey? key)
    {
        if (key is null)
        {
            return;
        }

        if (Awakeables is { } before && !before.Secret.Span.SequenceEqual(key.Secret.Span))
        {
            throw new UnreachableException($"record {Applied} has another secret of awakeables than the records before it");
        }

        Awakeables = key;
    }

    private void RequireNext(in RecordPlace place)
    {
        if (place.Lsn != Applied.Next || place.Epoch < AppliedEpoch)
        {
            throw new UnreachableException(
                $"record {place.Lsn} of epoch {place.Epoch} is applied after record {Applied} of epoch {AppliedEpoch}");
        }
    }

    /// <summary>Inputs and outputs as the log says.</summary>
    private void ApplyExchanged(RecordMarks marks, ulong ownEpoch)
    {
        foreach (InputWatermark mark in marks.Inputs)
        {
            InputState input = Inputs.Get(mark.Name);
            RequireAhead(mark, input);
            input.Restore(mark.SenderId, mark.Watermark);
            if (mark.Name == self)
            {
                // What it sent to itself is in the log (docs/internals/exactly-once.md H25). Its totals are of another epoch.
                Outputs.Get(self).TrimTo(new Watermark(mark.Watermark.Replayable, mark.Watermark.Replayable, 0), ownEpoch);
            }
        }

        foreach (TrimPoint trim in marks.Trims)
        {
            OutputBuffer buffer = Outputs.Get(trim.Destination);
            buffer.Named();
            buffer.AcceptReceiver(trim.ReceiverEpoch, trim.ReceiverId);
            buffer.TrimTo(new Watermark(trim.Number, trim.Number, 0), ownEpoch);
        }
    }

    /// <summary>
    /// Only durable watermarks move. Trims and receivers are further in memory already: an older receiver of the same epoch must not come
    /// back.
    /// </summary>
    private void ApplyOwn(RecordMarks marks, ulong ownEpoch)
    {
        foreach (InputWatermark mark in marks.Inputs)
        {
            if (Inputs.Find(mark.Name) is not { } input)
            {
                continue; // Its sender was replaced meanwhile, said nothing more, and is forgotten.
            }

            input.BecameDurable(mark.SenderId, mark.Watermark);
            if (mark.Name == self)
            {
                Outputs.Get(self).TrimTo(input.Durable, ownEpoch);
            }

            InputMoved(input);
        }

        foreach (TrimPoint trim in marks.Trims)
        {
            Outputs.Get(trim.Destination).Named();
        }
    }

    private static void RequireAhead(in InputWatermark mark, InputState input)
    {
        // In a later epoch, builds before this rule let one go back that had come again after another of its name.
        bool isLater = mark.Watermark.SenderEpoch > input.Durable.SenderEpoch;
        if (mark.SenderId == input.SenderId && !isLater && mark.Watermark.Total < input.Durable.Total)
        {
            throw new UnreachableException($"the input {mark.Name} goes back from {input.Durable} to {mark.Watermark}");
        }
    }
}
