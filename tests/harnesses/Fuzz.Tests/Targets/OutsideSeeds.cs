using System.Buffers;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.State;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Calls from outside, as records and checkpoints hold them.</summary>
internal static class OutsideSeeds
{
    /// <summary>What a record says of them.</summary>
    public static OutsideMarks Marks()
    {
        var marks = new OutsideMarks();
        marks.Lines.Add(new OpenedLine("web", KeyHash.Of("order-42"), 1_795_439_000_000));
        marks.Lines.Add(new OpenedLine("shop", KeyHash.Of("session"), 7));
        marks.Calls.Add(new LineCall(1, 0, 1, 1, 0, 5));
        marks.Calls.Add(new LineCall(3, 2, 2, 17, 15, ulong.MaxValue));
        return marks;
    }

    /// <summary>A checkpoint with one call that is answered, one that is not, and a horizon.</summary>
    public static byte[] Head()
    {
        var head = new CheckpointHead();
        head.Outside.Apply(Marks(), total: 3, new Lsn(5), time: 100);
        head.Outside.Answered(1, new OutsideAnswer(0, 1, new byte[] { 1, 2, 3 }), now: 100);
        var more = new OutsideMarks();
        more.Horizons.Add(new KeyHorizon("web", 9));
        head.Outside.Apply(more, total: 4, new Lsn(6), time: 200);
        var bytes = new ArrayBufferWriter<byte>();
        head.Write(bytes, Lsn.None);
        return bytes.WrittenSpan.ToArray();
    }
}
