using System.Text;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Format;
using Ambrosia.Primitives;

namespace Ambrosia.Fuzz.Tests.Targets;

/// <summary>Names of files in a log's folder: only what the log itself would have written is one of its own, so that no two names mean the
/// same.</summary>
internal sealed class FileNameTarget : StoreTarget
{
    public override string Name => "file-names";

    public override int Largest => 64;

    public override IReadOnlyList<byte[]> Words =>
        [.. ".seg|.free|.ckpt|.tmp|.broken|0|00000|99999999999| |+|-|x".Split('|').Select(Encoding.UTF8.GetBytes)];

    public override IEnumerable<byte[]> Seeds() =>
        [.. new[] { StoreNames.Segment(1), StoreNames.Segment(ulong.MaxValue), StoreNames.Spare(0), StoreNames.Checkpoint(new Lsn(4711)),
            StoreNames.Segment(7) + ".broken", "lock" }.Select(Encoding.UTF8.GetBytes)];

    public override string Run(ReadOnlyMemory<byte> input, FuzzRandom random)
    {
        string name = Encoding.Latin1.GetString(input.Span);
        if (StoreNames.TryParseSegment(name, out ulong number))
        {
            Require(StoreNames.Segment(number) == name, "a segment has one name");
            return Accepted;
        }

        if (StoreNames.TryParseSpare(name, out number))
        {
            Require(StoreNames.Spare(number) == name, "a spare segment has one name");
            return "spare";
        }

        if (StoreNames.TryParseCheckpoint(name, out Lsn lsn))
        {
            Require(StoreNames.Checkpoint(lsn) == name, "a checkpoint has one name");
            return "checkpoint";
        }

        return "not a file of the log";
    }
}
