using System.Buffers.Binary;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Checkpoint files: header, blocks, footer. Inputs leave out the zeros of the header.</summary>
internal sealed class CheckpointTarget : StoreTarget
{
    private const int Shown = 232;
    private static readonly Lsn s_lsn = new(17);
    private readonly BytesFile _file = new();
    private readonly byte[] _bytes = new byte[CheckpointHeader.Size + 4096];

    public override string Name => "checkpoints";

    public override int Weight => 3;

    public override int Largest => Shown + 3000;

    public override long AllocationBase => 32 * 1024;

    public override IEnumerable<byte[]> Seeds() => [File(), File(1), File(100, 100, 7), File(1000, 1), File(2000)];

    public override void Repair(Span<byte> input)
    {
        if (input.Length <= Shown)
        {
            return;
        }

        Expand(input);
        BinaryPrimitives.WriteUInt32LittleEndian(input[8..], Crc32C.Compute(_bytes.AsSpan(12, CheckpointHeader.Size - 12)));
        Span<byte> rest = input[Shown..];
        (uint chain, ulong blocks, long bytes) = (0, 0, 0);
        while (rest.Length >= CheckpointFormat.BlockHeaderSize)
        {
            uint size = BinaryPrimitives.ReadUInt32LittleEndian(rest[4..]);
            if (size == CheckpointFormat.FooterMark || size > (uint)rest.Length - CheckpointFormat.BlockHeaderSize)
            {
                break;
            }

            chain = CheckpointFormat.Chain(chain,
                CheckpointFormat.FinishBlock(rest[..(CheckpointFormat.BlockHeaderSize + (int)size)], blocks++));
            bytes += size;
            rest = rest[(CheckpointFormat.BlockHeaderSize + (int)size)..];
        }

        byte[] footer = CheckpointFormat.Footer(blocks, bytes, s_lsn, chain);
        footer.AsSpan(0, Math.Min(rest.Length, footer.Length)).CopyTo(rest);
    }

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        _file.Bytes = _bytes.AsMemory(0, Expand(input.Span));
        CheckpointReader reader = Now.Of(CheckpointReader.OpenAsync(_file, s_lsn));
        Require(Now.Of(reader.VerifyAsync()) + CheckpointFormat.FooterSize == _file.Bytes.Length, "a checkpoint ends with its footer");
        CheckpointReader again = Now.Of(CheckpointReader.OpenAsync(_file, s_lsn));
        while (!Now.Of(again.ReadAsync()).IsEmpty)
        {
        }

        Require(again.BytesRead == reader.BytesRead && again.Header == reader.Header, "what was verified streams in the same way");
        return Accepted;
    }

    private int Expand(ReadOnlySpan<byte> input)
    {
        _bytes.AsSpan(0, CheckpointHeader.Size).Clear();
        input[..Math.Min(input.Length, Shown)].CopyTo(_bytes);
        if (input.Length <= Shown)
        {
            return input.Length;
        }

        input[Shown..].CopyTo(_bytes.AsSpan(CheckpointHeader.Size));
        return CheckpointHeader.Size + input.Length - Shown;
    }

    private static byte[] File(params int[] blocks)
    {
        byte[] header = new CheckpointHeader { InstanceId = new InstanceId(1, 2), Lsn = s_lsn, Epoch = new Epoch(3), CreatedAt = 99,
            Instance = "bank", Cluster = "c" }.ToBytes();
        var file = new List<byte>(header[..Shown]);
        uint chain = 0;
        for (int i = 0; i < blocks.Length; i++)
        {
            byte[] block = new byte[CheckpointFormat.BlockHeaderSize + blocks[i]];
            block.AsSpan(CheckpointFormat.BlockHeaderSize).Fill((byte)(i + 1));
            chain = CheckpointFormat.Chain(chain, CheckpointFormat.FinishBlock(block, (ulong)i));
            file.AddRange(block);
        }

        return [.. file, .. CheckpointFormat.Footer((ulong)blocks.Length, blocks.Sum(), s_lsn, chain)];
    }
}
