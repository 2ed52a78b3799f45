using System.Buffers.Binary;
using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.State;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>The coordinator's part of a checkpoint whose checksums are right, whatever stands inside.</summary>
internal sealed class ImageTarget : FuzzTarget
{
    private static readonly byte[] s_header =
        new LogStore.Format.CheckpointHeader { InstanceId = new InstanceId(1, 2), Lsn = new Lsn(17), Epoch = new Epoch(3), CreatedAt = 99,
            Instance = "bank", Cluster = "" }.ToBytes();

    private readonly BytesFile _file = new();

    public override string Name => "checkpoint-images";

    public override int Weight => 2;

    public override int Largest => 1024;

    public override long AllocationBase => 32 * 1024;

    public override int AllocationFactor => 64;

    public override IEnumerable<byte[]> Seeds()
    {
        yield return Image(new CheckpointHead(), [], 3);
        var head = new CheckpointHead { EntryCount = 2 };
        head.Inputs.Add(new InputWatermark("shop", Guid.Empty, new Watermark(5, 4, 1)));
        head.Outputs.Add(new OutputWatermark("shop", 7, 3, 2, Guid.Empty));
        head.Outputs.Add(new OutputWatermark("bank", 1, 0, 0, Guid.Empty));
        byte[] message = Vectors.Of("run")[0];
        byte[] entry = new byte[CheckpointImage.EntryPrefix + message.Length];
        BinaryPrimitives.WriteInt32LittleEndian(entry.AsSpan(4), MessageScanner.Count(message).Count);
        BinaryPrimitives.WriteInt32LittleEndian(entry.AsSpan(16), message.Length);
        message.CopyTo(entry, CheckpointImage.EntryPrefix);
        yield return Image(head, [.. entry, .. entry], 3);
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        _file.Bytes = Wrap(input.Span);
        CheckpointReader reader = Now.Of(CheckpointReader.OpenAsync(_file, new Lsn(17)));
        CheckpointImage image = Now.Of(CheckpointImage.OpenAsync(reader));
        ValueTask reading = image.ReadEntriesAsync((destination, messages, number, count) =>
        {
            Require(MessageRun.Count(messages, int.MaxValue, RunOrigin.Own).Count == count, "an entry holds the messages that it says");
            return default;
        });
        Now.Of(reading);
        return Accepted;
    }

    /// <summary>What is refused inside the head has a target of its own.</summary>
    public override string? ReasonOf(Exception error) =>
        base.ReasonOf(error) is not { } reason ? null : reason.StartsWith("checkpoint ", StringComparison.Ordinal) ? reason
        : "a field of the head, or a message, is refused";

    private static byte[] Image(CheckpointHead head, byte[] entries, int app)
    {
        var bytes = new System.Buffers.ArrayBufferWriter<byte>();
        head.Write(bytes, Lsn.None);
        byte[] size = new byte[12];
        BinaryPrimitives.WriteInt32LittleEndian(size, bytes.WrittenCount);
        BinaryPrimitives.WriteInt64LittleEndian(size.AsSpan(4), app);
        return [.. size.AsSpan(0, 4), .. bytes.WrittenSpan, .. entries, .. size.AsSpan(4), .. new byte[app]];
    }

    private static byte[] Wrap(ReadOnlySpan<byte> data)
    {
        byte[] block = new byte[CheckpointFormat.BlockHeaderSize + data.Length];
        data.CopyTo(block.AsSpan(CheckpointFormat.BlockHeaderSize));
        uint chain = data.IsEmpty ? 0 : CheckpointFormat.Chain(0, CheckpointFormat.FinishBlock(block, 0));
        byte[] footer = CheckpointFormat.Footer(data.IsEmpty ? 0UL : 1UL, data.Length, new Lsn(17), chain);
        return [.. s_header, .. data.IsEmpty ? [] : block, .. footer];
    }
}
