using System.Buffers;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.Link;

/// <summary>The app's part of a checkpoint: magic, log time and what the immortal's own OnSave wrote.</summary>
internal sealed class CheckpointCodec(Immortal immortal, ImmortalRuntime runtime)
{
    private static ReadOnlySpan<byte> Magic => "ACP1"u8;

    public static string BuildOf(Type type) => type.Module.ModuleVersionId.ToString("N");

    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteBytes(Magic);
        writer.WriteUInt64((ulong)runtime.Clock.LogTicks);
        immortal.OnSave(output);
    }

    public void Read(ReadOnlySequence<byte> saved)
    {
        Span<byte> head = stackalloc byte[12];
        if (saved.Length < head.Length)
        {
            throw new CheckpointException("The checkpoint is shorter than its header.");
        }

        saved.Slice(0, head.Length).CopyTo(head);
        runtime.Clock.LogTicks = System.Buffers.Binary.BinaryPrimitives.ReadInt64LittleEndian(head[4..]);
        immortal.OnRestore(saved.Slice(head.Length));
    }

    public string ToJson() => $"{{\"type\":\"{immortal.GetType().Name}\"}}";
}
