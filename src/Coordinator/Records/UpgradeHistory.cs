using System.Buffers;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Records;

/// <summary>Where the app's state was converted: a fold over the log's marks and nothing else.</summary>
public sealed class UpgradeHistory
{
    // Far more than can lie after the oldest checkpoint that is kept.
    private const int MostMarks = 64;
    private readonly List<VersionChange> _marks = [];

    public IReadOnlyList<VersionChange> Marks => _marks;

    /// <summary>The last record that the version before the present one executed; 0 if there was only one.</summary>
    public Lsn Newest => _marks is [.., var last] ? last.At : Lsn.None;

    /// <summary>The newest build that is known to execute, and from where on; null if the log and its checkpoints name none.</summary>
    public BuildStep? Build { get; private set; }

    /// <summary>What a replay that begins after this record has to cross.</summary>
    public IEnumerable<VersionChange> Behind(Lsn from) => _marks.Where(mark => mark.At > from);

    /// <summary>The upgrade that a checkpoint of this record was written by; null if it was an ordinary one.</summary>
    public VersionChange? CommittedBy(Lsn checkpoint) => _marks.Find(mark => mark.At == checkpoint);

    /// <summary>Takes a mark; one that is known already is ignored.</summary>
    public void Apply(VersionChange mark)
    {
        if (mark.At == Lsn.None || _marks.Exists(known => known.At == mark.At))
        {
            return;
        }

        Build = mark.At >= Build?.At ? null : Build; // A new version has a build of its own.
        _marks.Add(mark);
        _marks.Sort(static (left, right) => left.At.CompareTo(right.At));
        if (_marks.Count > MostMarks)
        {
            _marks.RemoveAt(0);
        }
    }

    /// <summary>
    /// Takes the mark of a build: the first at the record of an upgrade is the new version's, any other says which build executes from
    /// there on. One from before the newest upgrade says nothing any more.
    /// </summary>
    public void Apply(BuildStep mark)
    {
        int upgrade = _marks.FindIndex(known => known.At == mark.At);
        if (upgrade >= 0 && (_marks[upgrade].Build.Length == 0 || _marks[upgrade].Build == mark.Build))
        {
            _marks[upgrade] = _marks[upgrade] with { Build = mark.Build };
            return;
        }

        Build = mark.At >= Newest && (Build is null || mark.At >= Build.At) ? mark : Build;
    }

    /// <summary>Reads a list of marks.</summary>
    /// <exception cref="ProtocolException">It is not valid.</exception>
    public static List<VersionChange> ReadList(ref ByteReader reader)
    {
        var marks = new List<VersionChange>();
        for (int left = reader.ReadCount("upgrades"); left > 0; left--)
        {
            marks.Add(VersionChange.Read(ref reader));
        }

        return marks;
    }

    /// <summary>Writes a list of marks.</summary>
    public static void WriteList(IBufferWriter<byte> output, IReadOnlyCollection<VersionChange> marks)
    {
        new ByteWriter(output).WriteVarint((ulong)marks.Count);
        foreach (VersionChange mark in marks)
        {
            mark.Write(output);
        }
    }
}
