using System.Buffers;
using System.Text;
using Ambrosia.Builds;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// Opens the app's part of a checkpoint: "ACP1" · varint format (2; 3 if effects are pending; 4 if there are schedules or compensations) ·
/// strings (varint length, UTF-8): binding, class of the immortal, build · u64 log time in ticks · varint length and bytes of what OnSave
/// wrote · from format 2 on varint length and bytes of the build (<see cref="BuildManifest"/>), 0 if it is not known. The state graph
/// follows. The text of the build is for people only.
/// </summary>
internal sealed record AppStateHeader(string Binding, string Class, string Build, long LogTicks, byte[] Saved, BuildManifest? Manifest)
{
    private const ulong Format = 2;
    private const ulong FormatWithRoutines = 4;
    private const ulong OldestFormat = 1;
    private const int FewestRoots = 4;
    private const int LongestText = 2048;

    /// <summary>Roots of the graph: four, five with pending effects, six with schedules or compensations.</summary>
    public int Roots { get; init; } = FewestRoots;

    private static ReadOnlySpan<byte> Magic => "ACP1"u8;

    /// <summary>Writes the header.</summary>
    /// <exception cref="CannotSaveException">The name of the class is so long that no reader would take it.</exception>
    public void Write(IBufferWriter<byte> output)
    {
        if (Encoding.UTF8.GetByteCount(Class) > LongestText)
        {
            throw new CannotSaveException("The immortal", $"class whose name has more than {LongestText} bytes", "give it a shorter name, "
                + "or fewer type arguments");
        }

        var writer = new ByteWriter(output);
        writer.WriteBytes(Magic);
        writer.WriteVarint(Format + (ulong)(Roots - FewestRoots));
        writer.WriteString(Binding);
        writer.WriteString(Class);
        writer.WriteString(Build.Length > LongestText / 4 ? Build[..(LongestText / 4)] : Build);
        writer.WriteUInt64((ulong)LogTicks);
        writer.WriteVarint((ulong)Saved.Length);
        writer.WriteBytes(Saved);
        var manifest = new ArrayBufferWriter<byte>();
        Manifest?.Write(manifest);
        bool fits = manifest.WrittenCount <= BuildManifest.MaxSize; // Else it is only not compared.
        writer.WriteVarint(fits ? (ulong)manifest.WrittenCount : 0);
        writer.WriteBytes(fits ? manifest.WrittenSpan : []);
    }

    /// <summary>Reads a header and moves <paramref name="source"/> behind it.</summary>
    /// <exception cref="CheckpointException">It is none that this binding can read.</exception>
    public static AppStateHeader Read(ref ReadOnlySequence<byte> source)
    {
        try
        {
            // All but the blob is small; the blob is as long as its length says, and no longer than what is there.
            byte[] head = source.Slice(0, Math.Min(source.Length, (4 * LongestText) + 64)).ToArray();
            var reader = new ByteReader(head);
            if (!reader.ReadBytes(4, "magic").SequenceEqual(Magic))
            {
                throw new CheckpointException("The checkpoint was not written by the C# binding: another kind of app owns this instance.");
            }

            ulong format = reader.ReadVarint("format");
            if (format is < OldestFormat or > FormatWithRoutines)
            {
                throw new CheckpointException(
                    $"The checkpoint has format {format}; this binding reads formats {OldestFormat} to {FormatWithRoutines}. Start the app "
                        + $"with the version that wrote it.");
            }

            string binding = reader.ReadString(LongestText, "binding");
            string owner = reader.ReadString(LongestText, "class");
            string build = reader.ReadString(LongestText, "build");
            long ticks = (long)reader.ReadUInt64("log time");
            int length = reader.ReadLength(Array.MaxLength, "length of what OnSave wrote");
            if (length > source.Length - reader.Offset || ticks < 0 || ticks > DateTime.MaxValue.Ticks)
            {
                throw new CheckpointException($"The checkpoint is damaged: {length} bytes of OnSave in a checkpoint of {source.Length}.");
            }

            byte[] saved = source.Slice(reader.Offset, length).ToArray();
            source = source.Slice(reader.Offset + length);
            return new AppStateHeader(binding, owner, build, ticks, saved, format >= 2 ? ReadManifest(ref source) : null)
            {
                Roots = FewestRoots + (int)(Math.Max(format, Format) - Format),
            };
        }
        catch (ProtocolException error)
        {
            throw new CheckpointException($"The checkpoint is damaged: {error.Message}.", error);
        }
    }

    private static BuildManifest? ReadManifest(ref ReadOnlySequence<byte> source)
    {
        byte[] head = source.Slice(0, Math.Min(source.Length, Varint.MaxSize32)).ToArray();
        var reader = new ByteReader(head);
        int length = reader.ReadLength(BuildManifest.MaxSize, "length of the build");
        ReadOnlySequence<byte> rest = source.Slice(reader.Offset);
        if (length > rest.Length)
        {
            throw new CheckpointException($"The checkpoint is damaged: {length} bytes of its build where {rest.Length} are left.");
        }

        source = rest.Slice(length);
        return length == 0 ? null : BuildManifest.Read(rest.Slice(0, length).ToArray());
    }
}
