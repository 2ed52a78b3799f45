using System.Buffers;
using Ambrosia.Protocol;

namespace Ambrosia.Builds;

/// <summary>
/// What a build of an immortal is, as far as messages that it has executed and states that it has saved depend on it. It stands in each
/// checkpoint (upgrades.md). Bytes: strings build and modules · varint number of methods, each: zig-zag id, strings name, signature and
/// code, byte awaits, varint number of types and their names · varint number of types, each: string name, byte kind, varint number of
/// members and two strings for each.
/// </summary>
/// <param name="Build">Hash of all that follows but the modules: two builds that have the same one may replace each other.</param>
/// <param name="Modules">Hash of the versions of the application's modules: where it is the same, nothing else need be compared.</param>
/// <param name="Methods">The handlers by their ids.</param>
/// <param name="Types">The types of arguments, and the enums of the application, by their names.</param>
internal sealed record BuildManifest(
    string Build, string Modules, IReadOnlyDictionary<int, BuildMethod> Methods, IReadOnlyDictionary<string, BuildType> Types)
{
    /// <summary>Longest manifest that is written and read, in bytes.</summary>
    public const int MaxSize = 16 << 20;

    /// <summary>The build for people: the beginning of its hash.</summary>
    public string Short => Build[..Math.Min(6, Build.Length)];

    /// <summary>Writes it.</summary>
    public void Write(IBufferWriter<byte> output)
    {
        var writer = new ByteWriter(output);
        writer.WriteString(Build);
        writer.WriteString(Modules);
        writer.WriteVarint((ulong)Methods.Count);
        foreach (BuildMethod method in Methods.Values.OrderBy(static method => method.Id))
        {
            writer.WriteZigZag(method.Id);
            writer.WriteString(method.Name);
            writer.WriteString(method.Signature);
            writer.WriteString(method.Code);
            writer.WriteByte(method.Awaits ? (byte)1 : (byte)0);
            writer.WriteVarint((ulong)method.Types.Count);
            foreach (string type in method.Types)
            {
                writer.WriteString(type);
            }
        }

        writer.WriteVarint((ulong)Types.Count);
        foreach ((string name, BuildType type) in Types.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
        {
            writer.WriteString(name);
            writer.WriteByte((byte)type.Kind);
            writer.WriteVarint((ulong)type.Members.Count);
            foreach ((string member, string value) in type.Members.OrderBy(static pair => pair.Key, StringComparer.Ordinal))
            {
                writer.WriteString(member);
                writer.WriteString(value);
            }
        }
    }

    /// <summary>Reads what <see cref="Write"/> wrote.</summary>
    /// <exception cref="ProtocolException">It is none.</exception>
    public static BuildManifest Read(ReadOnlySpan<byte> bytes)
    {
        var reader = new ByteReader(bytes);
        string build = reader.ReadString(bytes.Length, "build");
        string modules = reader.ReadString(bytes.Length, "modules");
        var methods = new Dictionary<int, BuildMethod>();
        for (int left = reader.ReadLength(bytes.Length, "number of methods"); left > 0; left--)
        {
            BuildMethod method = ReadMethod(ref reader, bytes.Length);
            methods[method.Id] = method;
        }

        var types = new Dictionary<string, BuildType>();
        for (int left = reader.ReadLength(bytes.Length, "number of types"); left > 0; left--)
        {
            string name = reader.ReadString(bytes.Length, "name of a type");
            var kind = (BuildTypeKind)reader.ReadByte("kind of a type");
            var members = new Dictionary<string, string>();
            for (int more = reader.ReadLength(bytes.Length, "number of members"); more > 0; more--)
            {
                string member = reader.ReadString(bytes.Length, "name of a member");
                members[member] = reader.ReadString(bytes.Length, "type of a member");
            }

            types[name] = new BuildType(kind, members);
        }

        reader.ExpectEnd("build");
        return new BuildManifest(build, modules, methods, types);
    }

    private static BuildMethod ReadMethod(ref ByteReader reader, int size)
    {
        long id = reader.ReadZigZag("id of a method");
        string name = reader.ReadString(size, "name of a method");
        string signature = reader.ReadString(size, "signature of a method");
        string code = reader.ReadString(size, "code of a method");
        bool awaits = reader.ReadByte("whether a method awaits") != 0;
        string[] types = new string[reader.ReadLength(size, "number of types of a method")];
        for (int i = 0; i < types.Length; i++)
        {
            types[i] = reader.ReadString(size, "type of a method");
        }

        return new BuildMethod((int)id, name, signature, code, awaits, types);
    }
}
