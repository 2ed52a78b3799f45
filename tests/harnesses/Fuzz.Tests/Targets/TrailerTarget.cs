using System.Buffers.Binary;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Primitives;
using Ambrosia.Protocol;


namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>What the coordinator writes behind the payload of a record.</summary>
internal sealed class TrailerTarget : FuzzTarget
{
    public override string Name => "record-trailers";

    public override int Weight => 6;

    public override int Largest => 1024;

    public override long AllocationBase => 16 * 1024;

    public override int AllocationFactor => 64;

    public override IEnumerable<byte[]> Seeds()
    {
        yield return Body([], new PageMarks());
        var marks = new PageMarks();
        var shop = new InputState("shop");
        marks.AddRun(shop, 3, 40, new Watermark(10, 9, 2));
        marks.AddRun(new InputState("bank"), 1, 7, new Watermark(ulong.MaxValue, 1, ulong.MaxValue));
        marks.AddRun(shop, 1, 5, new Watermark(11, 10, 2));
        marks.Trims.Add(new TrimPoint("shop", 7, 3, Guid.Empty));
        marks.Turns.Add(new TurnDigest(5, 123, [("shop", 2), ("bank", 1)]));
        marks.Turns.Add(new TurnDigest(6, 0, []));
        yield return Body(new byte[52], marks);
        marks.Poison.Add(QuarantineStep.Of(PoisonStep.Suspected, new MessagePosition(5, 1), "died", "detail", deaths: 2));
        yield return Body(new byte[52], marks);
        marks.Upgrades.Add(new VersionChange(new Lsn(4), "Bank.V1", "Bank.V2"));
        yield return Body(new byte[52], marks);
        marks.Builds.Add(new BuildStep(new Lsn(4), "3f9a20"));
        yield return Body(new byte[52], marks);
        marks.Drops.Add(new DropPoint("shop", 40));
        yield return Body(new byte[52], marks);
        yield return Body(new byte[52], new PageMarks { Outside = OutsideSeeds.Marks() });
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        RecordTrailer trailer = RecordTrailer.Read(input, out ReadOnlyMemory<byte> payload);
        Require(RecordTrailer.ReadMessageCount(input, out ReadOnlyMemory<byte> same) == trailer.MessageCount
            && same.Length == payload.Length, "the short reading agrees with the full one");
        Require(trailer.Runs.All(run => run.InputIndex < trailer.Inputs.Count), "a run is of an input that is there");
        // Inputs of the coordinator's own have names that no instance can have; destinations become names of files.
        Require(trailer.Trims.All(static trim => InstanceName.IsValid(trim.Destination))
            && trailer.Drops.All(static drop => InstanceName.IsValid(drop.Destination))
            && trailer.Turns.All(static turn => turn.Counts.All(static count => InstanceName.IsValid(count.Destination))),
            "destinations are names of instances");
        Require(trailer.Outside is not { } outside
            || outside.Forgotten.SequenceEqual(outside.Forgotten.Distinct().Order()), "lines are forgotten once");
        return Accepted;
    }

    // The last four bytes say how long the trailer is; most changes of length would be caught there alone.
    public override void Repair(Span<byte> input)
    {
        if (input.Length is >= 60 and < 400)
        {
            BinaryPrimitives.WriteInt32LittleEndian(input[^4..], input.Length - 56);
        }
    }

    private static byte[] Body(byte[] payload, PageMarks marks)
    {
        byte[] trailer = new byte[RecordTrailer.MaxSize(marks)];
        return [.. payload, .. trailer.AsSpan(0, RecordTrailer.Write(marks, trailer, new Lsn(1), new Epoch(1)))];
    }
}
