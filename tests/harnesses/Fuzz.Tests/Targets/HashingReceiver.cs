using System.Buffers;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.Link;
using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Folds what a link reader gives into one number.</summary>
internal sealed class HashingReceiver : ILinkMessages
{
    public ulong Hash { get; private set; }

    public bool ShouldPause => false;

    public void OnControl(BindingMessageType type, ReadOnlySpan<byte> data) => Add((ulong)type, data);

    public void OnRecord(in RecordInfo record) =>
        Hash = FuzzRandom.Mix(Hash, record.Lsn ^ ((ulong)record.PayloadSize << 32) ^ (ulong)record.MessageCount);

    public void OnRpc(ReadOnlySpan<byte> data) => Add(1000, data);

    public void OnRecordEnd() => Hash = FuzzRandom.Mix(Hash, 2000);

    public void OnCheckpoint(ChunkedBuffer checkpoint)
    {
        Hash = FuzzRandom.Mix(Hash, 3000 + (ulong)checkpoint.ToSequence().Length);
        checkpoint.Dispose();
    }

    private void Add(ulong kind, ReadOnlySpan<byte> data) =>
        Hash = FuzzRandom.Mix(Hash, (kind << 32) ^ Crc32C.Finish(Crc32C.Append(Crc32C.Seed, data)));
}
