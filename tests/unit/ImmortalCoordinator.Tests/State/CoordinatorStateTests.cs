using System.Buffers;
using System.Diagnostics;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.State;

/// <summary>A record changes the coordinator's state by one way, wherever it is applied.</summary>
public sealed class CoordinatorStateTests
{
    private const ulong OwnEpoch = 9;
    private static readonly Guid s_shop = Guid.Parse("11111111-0000-0000-0000-000000000001");
    private static readonly Guid s_heir = Guid.Parse("11111111-0000-0000-0000-000000000002");

    [Fact]
    public async Task What_a_primary_applies_of_its_own_records_a_recovery_applies_of_the_log()
    {
        await using CoordinatorState primary = Create();
        await using CoordinatorState recovery = Create();
        PageMarks[] records = [.. Enumerable.Range(1, 3).Select(Record)];
        Receive(primary, "shop", s_shop, 30);
        Receive(primary, "bank", Guid.Empty, 3);
        await AppendAsync(primary, "bank", 5);
        await AppendAsync(recovery, "bank", 5);
        primary.Outputs.Get("bank").Rebase(new Watermark(0, 0, OwnEpoch)); // As the carrier of self-calls begins: by totals of this epoch.

        for (int i = 0; i < records.Length; i++)
        {
            primary.Apply(records[i], Place(i + 1), RecordOrigin.Own, OwnEpoch);
            recovery.Apply(records[i], Place(i + 1), RecordOrigin.Log, OwnEpoch);
        }

        Assert.Equal((new Lsn(3), new Lsn(3)), (primary.Applied, recovery.Applied));
        foreach (string sender in (string[])["shop", "bank"])
        {
            Assert.Equal(primary.Inputs.Get(sender).Durable, recovery.Inputs.Get(sender).Durable);
        }

        Assert.Equal(3UL, recovery.Outputs.Get("bank").Trimmed);
        Assert.Equal(primary.Outputs.Get("bank").Trimmed, recovery.Outputs.Get("bank").Trimmed);
        Assert.Equal(primary.Upgrades.Marks, recovery.Upgrades.Marks);
        Assert.Equal(["1.0 to 2.0"], recovery.Upgrades.Marks.Select(static mark => $"{mark.From} to {mark.To}"));
        Assert.Equal(primary.Poison.Suspect, recovery.Poison.Suspect);
        Assert.NotNull(recovery.Poison.Suspect);
    }

    [Fact] // docs/internals/exactly-once.md H3: a receiver that was superseded meanwhile must not come back.
    public async Task Trims_and_receivers_of_own_records_are_in_memory_already_and_are_not_applied_again()
    {
        await using CoordinatorState state = Create();
        await AppendAsync(state, "shop", 5);
        OutputBuffer buffer = state.Outputs.Get("shop");
        Assert.True(buffer.AcceptReceiver(3, s_heir));
        var marks = new PageMarks();
        marks.Trims.Add(new TrimPoint("shop", 2, 3, s_shop)); // Filled before the destination was made again in the same epoch.
        state.Apply(marks, Place(1), RecordOrigin.Own, OwnEpoch);
        Assert.Equal((s_heir, 0UL), (buffer.ReceiverId, buffer.Trimmed));

        await using CoordinatorState recovery = Create();
        await AppendAsync(recovery, "shop", 5);
        recovery.Apply(marks, Place(1), RecordOrigin.Log, OwnEpoch);
        Assert.Equal((s_shop, 2UL), (recovery.Outputs.Get("shop").ReceiverId, recovery.Outputs.Get("shop").Trimmed));
    }

    [Fact] // docs/internals/exactly-once.md H16
    public async Task A_record_of_a_sender_that_was_replaced_says_nothing_about_its_successor()
    {
        await using CoordinatorState state = Create();
        Receive(state, "shop", s_shop, 30);
        PageMarks old = Inputs("shop", s_shop, 20);
        state.Inputs.Get("shop").Replace(s_heir);
        List<string> moved = [];
        state.InputMoved = input => moved.Add($"{input.Name} {input.Durable.Total}");
        state.Apply(old, Place(1), RecordOrigin.Own, OwnEpoch);
        Assert.Equal(Watermark.None, state.Inputs.Get("shop").Durable);

        state.Apply(Inputs("nobody", s_shop, 20), Place(2), RecordOrigin.Own, OwnEpoch);
        Assert.Null(state.Inputs.Find("nobody"));
        Assert.Equal(["shop 0"], moved);
    }

    [Fact]
    public async Task Only_the_next_record_of_no_older_epoch_is_applied()
    {
        await using CoordinatorState state = Create();
        state.BeginBehind(new Lsn(7));
        Assert.Throws<UnreachableException>(() => state.Apply(new PageMarks(), Place(7), RecordOrigin.Log, OwnEpoch));
        Assert.Throws<UnreachableException>(() => state.Apply(new PageMarks(), Place(9), RecordOrigin.Log, OwnEpoch));
        state.Apply(new PageMarks(), Place(8), RecordOrigin.Log, OwnEpoch);
        UnreachableException older = Assert.Throws<UnreachableException>(
            () => state.Apply(new PageMarks(), Place(9) with { Epoch = new Epoch(OwnEpoch - 1) }, RecordOrigin.Log, OwnEpoch));
        Assert.Equal("record 9 of epoch 8 is applied after record 8 of epoch 9", older.Message);
        Assert.Equal(new Lsn(8), state.Applied);
    }

    [Theory]
    [InlineData(RecordOrigin.Log)]
    [InlineData(RecordOrigin.Own)]
    public async Task No_input_goes_back(object origin)
    {
        await using CoordinatorState state = Create();
        Receive(state, "shop", s_shop, 30);
        state.Apply(Inputs("shop", s_shop, 20), Place(1), (RecordOrigin)origin, OwnEpoch);
        Assert.Throws<UnreachableException>(() => state.Apply(Inputs("shop", s_shop, 19), Place(2), (RecordOrigin)origin, OwnEpoch));
        Assert.Equal(20UL, state.Inputs.Get("shop").Durable.Total);
    }

    [Fact] // It had come again after another of its name, and builds before the rule answered it as if it had sent nothing.
    public async Task A_log_in_which_a_later_life_of_a_sender_began_anew_is_read()
    {
        await using CoordinatorState state = Create();
        state.Apply(Inputs("shop", s_shop, 20), Place(1), RecordOrigin.Log, OwnEpoch);
        var later = new PageMarks();
        later.Inputs.Add(new InputWatermark("shop", s_shop, new Watermark(1, 1, 2)));
        state.Apply(later, Place(2), RecordOrigin.Log, OwnEpoch);
        Assert.Equal(new Watermark(1, 1, 2), state.Inputs.Get("shop").Durable);
    }

    [Fact]
    public async Task Nothing_becomes_durable_that_was_not_accepted()
    {
        await using CoordinatorState state = Create();
        Receive(state, "shop", s_shop, 30);
        UnreachableException error = Assert.Throws<UnreachableException>(
            () => state.Apply(Inputs("shop", s_shop, 31), Place(1), RecordOrigin.Own, OwnEpoch));
        Assert.Contains("of shop", error.Message, StringComparison.Ordinal);
    }

    [Fact] // docs/internals/exactly-once.md H25: the trim of a recovery comes before the answer that the own log gives.
    public async Task A_trim_of_own_outputs_at_recovery_leaves_what_the_answer_of_the_own_log_leaves()
    {
        await using CoordinatorState trimmed = Create();
        await using CoordinatorState answered = Create();
        foreach (CoordinatorState state in (CoordinatorState[])[trimmed, answered])
        {
            await AppendAsync(state, "bank", 5);
            await state.Outputs.Get("bank").AppendImpulsesAsync(Messages(2), 2);
        }

        trimmed.Apply(Inputs("bank", Guid.Empty, 3), Place(1), RecordOrigin.Log, OwnEpoch);
        answered.Inputs.Get("bank").Restore(Guid.Empty, new Watermark(3, 3, 1));
        foreach (CoordinatorState state in (CoordinatorState[])[trimmed, answered])
        {
            state.Outputs.Get("bank").Rebase(state.Inputs.Get("bank").Durable);
        }

        Assert.Equal(Describe(answered.Outputs.Get("bank")), Describe(trimmed.Outputs.Get("bank")));
        Assert.Equal((5UL, 3UL, 3UL, 8UL), Describe(trimmed.Outputs.Get("bank")) is var (generated, done, skip, next, _, _)
            ? (generated, done, skip, next!.Value) : default);
    }

    [Fact]
    public async Task A_checkpoint_brings_back_what_it_was_made_of()
    {
        await using CoordinatorState state = Create();
        await AppendAsync(state, "shop", 5);
        state.Apply(Record(1), Place(1), RecordOrigin.Log, OwnEpoch);
        var inputs = new InputWatermarks();
        inputs.Apply(Record(1).Inputs);
        var entries = new List<(int Output, OutputSlice Slice)>();
        CheckpointHead head = state.Snapshot(inputs.All, follows: false, entries);
        head.Upgrades.AddRange(state.Upgrades.Marks);
        Assert.Equal(head.EntryCount, entries.Count);
        Assert.Equal(5, entries.Sum(static entry => entry.Slice.Count));

        await using CoordinatorState restored = Create();
        CheckpointHead read = CheckpointHead.Read(head.ToBytes(new Lsn(1)).Span);
        restored.Restore(read, new Lsn(1));
        read.Upgrades.ForEach(restored.Upgrades.Apply);
        await restored.RestoreEntryAsync("shop", Messages(5), 1, 5);
        Assert.Equal(state.Applied, restored.Applied);
        Assert.Equal(state.Inputs.Get("shop").Durable, restored.Inputs.Get("shop").Durable);
        Assert.Equal(5UL, restored.Outputs.Get("shop").Generated);
        Assert.Equal(state.Upgrades.Marks, restored.Upgrades.Marks);
        Assert.Equal(state.Poison.Suspect, restored.Poison.Suspect);
        restored.Apply(Record(2), Place(2), RecordOrigin.Log, OwnEpoch);
        entries.ForEach(static entry => entry.Slice.Entry.Chunk.Release());
    }

    private static CoordinatorState Create()
    {
        var disk = new MemoryFileSystem();
        var budget = new SpillBudget(1 << 30);
        var memory = new OutputMemory(1 << 20);
        return new CoordinatorState("bank", destination =>
            new OutputBuffer(destination, memory, new SpillFile(disk, "/scratch", destination, budget)));
    }

    private static RecordPlace Place(int lsn) => new(new Lsn((ulong)lsn), new Epoch(OwnEpoch), 1000 + lsn);

    /// <summary>One record of three, each with something of every kind that does not need a letter.</summary>
    private static PageMarks Record(int number)
    {
        PageMarks marks = Inputs("shop", s_shop, 10 * (ulong)number);
        marks.Inputs.Add(new InputWatermark("bank", Guid.Empty, new Watermark((ulong)number, (ulong)number, OwnEpoch)));
        if (number == 1)
        {
            marks.Upgrades.Add(new VersionChange(new Lsn(1), "1.0", "2.0"));
            marks.Poison.Add(new Suspect(new MessagePosition(1, 0), new MessagePosition(1, 0), 2, true, false, "signal 6", "7").ToMark());
        }

        return marks;
    }

    private static PageMarks Inputs(string name, Guid id, ulong total)
    {
        var marks = new PageMarks();
        marks.Inputs.Add(new InputWatermark(name, id, new Watermark(total, total, 1)));
        return marks;
    }

    private static void Receive(CoordinatorState state, string name, Guid id, ulong total)
    {
        InputState input = state.Inputs.Get(name);
        input.HelloSeen(id, 1);
        input.Accept(new Watermark(total, total, 1));
    }

    private static ValueTask AppendAsync(CoordinatorState state, string destination, int count) =>
        state.Outputs.Get(destination).AppendAsync(Messages(count), count);

    private static ReadOnlySequence<byte> Messages(int count) => new(
        [.. Enumerable.Range(0, count).SelectMany(static _ => OutputBufferTests.Message(RpcKind.Fork, 7))]);

    private static (ulong Generated, ulong Trimmed, ulong Skip, ulong? Next, int Entries, bool IsEmpty) Describe(OutputBuffer buffer) =>
        (buffer.Generated, buffer.Trimmed, buffer.Skip, buffer.NextTotal, buffer.EntryCount, buffer.IsEmpty);
}
