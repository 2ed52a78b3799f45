using System.Buffers;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.State;

/// <summary>
/// What a checkpoint holds of the coordinator (exactly-once.md H6): the inputs as logged in its record, and per destination how far the
/// app's stream had got, what was trimmed, and the outputs not yet durable there. Totals and impulses are not in it. Layout: varint format
/// · inputs (string name, 16 bytes sender id, varints total, replayable, sender epoch) · outputs (string destination, varints streamed,
/// trimmed, receiver epoch, 16 bytes receiver id) · varint output entries that follow. Format 2 ends with what is known of messages that
/// kill the app (docs/internals/quarantine.md), format 3 with that and the upgrades that the app's state has gone through (upgrades.md),
/// format 4 with these and the varint largest message that a handler may send after that record, format 5 with these and the build that
/// executes what follows, if one is known, format 6 with these (a list of builds, which may be empty; one at an upgrade's record is the
/// build of its new version) and for each output the varint number up to which it was dropped, format 7 with these and the calls from
/// outside (<see cref="OutsideCalls"/>), format 8 with these and the key of awakeables (<see cref="AwakeableKey"/>). Counts are bounded by
/// the bytes that are there.
/// </summary>
public sealed class CheckpointHead
{
    public const ulong Format = 8;
    private const ulong FormatWithOutside = 7;
    private const ulong FormatWithDrops = 6;
    private const ulong FormatWithBuild = 5;
    private const ulong FormatWithLimits = 4;
    private const ulong FormatWithUpgrades = 3;
    private const ulong FormatWithPoison = 2;
    private const ulong OldestFormat = 1;

    public List<InputWatermark> Inputs { get; } = [];

    public List<OutputWatermark> Outputs { get; } = [];

    public int EntryCount { get; set; }

    /// <summary>Messages that killed the app, and dead letters.</summary>
    internal PoisonState Poison { get; set; } = new();

    /// <summary>Calls from outside.</summary>
    internal OutsideCalls Outside { get; set; } = new();

    /// <summary>By what awakeables are named after the record; null: there are none.</summary>
    public AwakeableKey? Awakeables { get; set; }

    /// <summary>Upgrades that the app's state has gone through.</summary>
    public List<VersionChange> Upgrades { get; } = [];

    /// <summary>Largest message that a handler may send after the record; 0: not known.</summary>
    public long LargestMessage { get; set; }

    /// <summary>The build that executes what follows, and from where on; null if none is known.</summary>
    public BuildStep? Build { get; set; }

    /// <summary>Writes it for a checkpoint of the given record.</summary>
    public void Write(IBufferWriter<byte> output, Lsn checkpoint)
    {
        var writer = new ByteWriter(output);
        ulong format = FormatFor(checkpoint);
        writer.WriteVarint(format);
        writer.WriteVarint((ulong)Inputs.Count);
        foreach (InputWatermark input in Inputs)
        {
            writer.WriteString(input.Name);
            writer.WriteGuid(input.SenderId);
            writer.WriteVarint(input.Watermark.Total);
            writer.WriteVarint(input.Watermark.Replayable);
            writer.WriteVarint(input.Watermark.SenderEpoch);
        }

        writer.WriteVarint((ulong)Outputs.Count);
        foreach (OutputWatermark mark in Outputs)
        {
            writer.WriteString(mark.Destination);
            writer.WriteVarint(mark.Streamed);
            writer.WriteVarint(mark.Trimmed);
            writer.WriteVarint(mark.ReceiverEpoch);
            writer.WriteGuid(mark.ReceiverId);
        }

        writer.WriteVarint((ulong)EntryCount);
        if (format >= FormatWithPoison)
        {
            Poison.Write(output, checkpoint);
        }

        if (format >= FormatWithUpgrades)
        {
            UpgradeHistory.WriteList(output, Upgrades);
        }

        if (format >= FormatWithLimits)
        {
            writer.WriteVarint((ulong)LargestMessage);
        }

        if (format >= FormatWithBuild)
        {
            BuildStep.WriteList(output, Build is null ? BuildsAt(checkpoint) : [.. BuildsAt(checkpoint), Build]);
        }

        if (format >= FormatWithDrops)
        {
            Outputs.ForEach(mark => writer.WriteVarint(mark.Dropped));
        }

        if (format >= FormatWithOutside)
        {
            Outside.Write(output, checkpoint);
        }

        Awakeables?.Write(output);
    }

    /// <summary>
    /// Whether this is the first checkpoint of a build, and no record after it says that this build executes what follows: its primary
    /// died before it could.
    /// </summary>
    public bool IsBuildUnlogged(Lsn checkpoint, UpgradeHistory history) => Build?.At == checkpoint && !(history.Build?.At >= checkpoint);

    /// <summary>Tells the history which build executes what follows.</summary>
    public void ApplyBuild(UpgradeHistory history)
    {
        if (Build is not null)
        {
            history.Apply(Build);
        }
    }

    // The smallest one that holds everything.
    private ulong FormatFor(Lsn checkpoint)
    {
        bool silent = Upgrades.Count == 0 && Poison.IsEmptyFor(checkpoint);
        return Awakeables is not null ? Format
            : !Outside.IsEmpty ? FormatWithOutside
            : Outputs.Exists(static mark => mark.Dropped > 0) ? FormatWithDrops
            : Build is not null || BuildsAt(checkpoint).Count > 0 ? FormatWithBuild
            : LargestMessage > 0 ? FormatWithLimits : Upgrades.Count > 0 ? FormatWithUpgrades : silent ? OldestFormat : FormatWithPoison;
    }

    // Only for the record of an upgrade that the log does not tell of yet.
    private List<BuildStep> BuildsAt(Lsn checkpoint) =>
    [
        .. Upgrades.Where(mark => mark.At == checkpoint && mark.Build.Length > 0).Select(static mark => new BuildStep(mark.At, mark.Build)),
    ];

    private void Take(BuildStep build)
    {
        int upgrade = Upgrades.FindIndex(mark => mark.At == build.At);
        if (upgrade < 0 || Upgrades[upgrade].Build.Length > 0) // After the new version's own build comes another one of it.
        {
            Build = build;
            return;
        }

        Upgrades[upgrade] = Upgrades[upgrade] with { Build = build.Build };
    }

    /// <summary>The bytes as of now.</summary>
    public ReadOnlyMemory<byte> ToBytes(Lsn checkpoint)
    {
        var bytes = new ArrayBufferWriter<byte>(512);
        Write(bytes, checkpoint);
        return bytes.WrittenMemory;
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">Another build wrote it.</exception>
    public static CheckpointHead Read(ReadOnlySpan<byte> source)
    {
        var reader = new ByteReader(source);
        ulong format = reader.ReadVarint("checkpoint format");
        if (format is < OldestFormat or > Format)
        {
            throw new ProtocolException($"checkpoint head of format {format}; this build reads {OldestFormat} to {Format}", 0);
        }

        var head = new CheckpointHead();
        for (int n = reader.ReadCount("checkpoint inputs"); n > 0; n--)
        {
            string name = reader.ReadString(InstanceName.MaxLength, "input name");
            Guid id = reader.ReadGuid("input sender id");
            head.Inputs.Add(new InputWatermark(name, id, new Watermark(
                reader.ReadVarint("input total"), reader.ReadVarint("input replayable"), reader.ReadVarint("input sender epoch"))));
        }

        for (int n = reader.ReadCount("checkpoint outputs"); n > 0; n--)
        {
            head.Outputs.Add(new OutputWatermark(
                reader.ReadName("output destination"), reader.ReadVarint("output streamed"),
                reader.ReadVarint("output trimmed"), reader.ReadVarint("output receiver epoch"), reader.ReadGuid("output receiver id")));
        }

        head.EntryCount = reader.ReadLength(int.MaxValue, "checkpoint entries");
        if (format >= FormatWithPoison)
        {
            head.Poison = PoisonState.Read(ref reader);
        }

        head.Upgrades.AddRange(format >= FormatWithUpgrades ? UpgradeHistory.ReadList(ref reader) : []);
        head.LargestMessage = format >= FormatWithLimits ? reader.ReadLength(int.MaxValue, "checkpoint largest message") : 0;
        foreach (BuildStep build in format >= FormatWithBuild ? BuildStep.ReadList(ref reader) : [])
        {
            head.Take(build);
        }

        for (int i = 0; format >= FormatWithDrops && i < head.Outputs.Count; i++)
        {
            head.Outputs[i] = head.Outputs[i] with { Dropped = reader.ReadVarint("output dropped") };
        }

        head.Outside = format >= FormatWithOutside ? OutsideCalls.Read(ref reader) : head.Outside;
        head.Awakeables = format >= Format ? AwakeableKey.Read(ref reader) : null;
        reader.ExpectEnd("checkpoint head");
        return head;
    }
}
