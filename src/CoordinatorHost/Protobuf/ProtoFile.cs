using System.Text;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>A <c>google.protobuf.FileDescriptorProto</c>, and what it declares.</summary>
internal sealed class ProtoFile
{
    private const string PublishedName = "published.protoset";
    private readonly HashSet<string> _symbols = new(StringComparer.Ordinal);
    private readonly List<string> _services = [];

    private ProtoFile(ReadOnlyMemory<byte> bytes)
    {
        Bytes = bytes;
        string package = TextOf(bytes, 2);
        Name = TextOf(bytes, 1);
        foreach (WireValue value in ValuesOf(bytes))
        {
            if (value.Number == 4)
            {
                AddMessage(package, value.Bytes);
            }
            else if (value.Number == 6)
            {
                _services.Add(Add(package, value.Bytes, 2));
            }
        }
    }

    /// <summary>The files that stay as they are: of <c>ambrosia.v1.Ingress</c> and of reflection, as protoc has compiled them.</summary>
    public static IReadOnlyList<ProtoFile> Published { get; } = ReadPublished();

    public string Name { get; }

    public ReadOnlyMemory<byte> Bytes { get; }

    /// <summary>Its services, with the package.</summary>
    public IReadOnlyList<string> Services => _services;

    /// <summary>What is in a file.</summary>
    /// <exception cref="ProtoValueException">It is none.</exception>
    public static ProtoFile Read(ReadOnlyMemory<byte> bytes) => new(bytes);

    /// <summary>Whether it declares a service, method, message or field of this full name.</summary>
    public bool Declares(string symbol) => _symbols.Contains(symbol);

    private static ProtoFile[] ReadPublished()
    {
        using Stream stream = typeof(ProtoFile).Assembly.GetManifestResourceStream(PublishedName)!;
        byte[] set = new byte[stream.Length];
        stream.ReadExactly(set);
        return [.. ValuesOf(set).Select(static value => new ProtoFile(value.Bytes))];
    }

    // A message with its fields, the messages in it and its oneofs.
    private void AddMessage(string scope, ReadOnlyMemory<byte> message)
    {
        string name = Add(scope, message, 2);
        foreach (WireValue value in ValuesOf(message))
        {
            if (value.Number == 3)
            {
                AddMessage(name, value.Bytes);
            }
            else if (value.Number == 8)
            {
                Add(name, value.Bytes, 0);
            }
        }
    }

    // What has a name in field 1, and parts with names.
    private string Add(string scope, ReadOnlyMemory<byte> declared, int parts)
    {
        string name = $"{scope}.{TextOf(declared, 1)}";
        _symbols.Add(name);
        foreach (WireValue value in ValuesOf(declared))
        {
            if (value.Number == parts)
            {
                _symbols.Add($"{name}.{TextOf(value.Bytes, 1)}");
            }
        }

        return name;
    }

    private static string TextOf(ReadOnlyMemory<byte> bytes, int number) =>
        Encoding.UTF8.GetString(ValuesOf(bytes).First(value => value.Number == number).Bytes.Span);

    private static IEnumerable<WireValue> ValuesOf(ReadOnlyMemory<byte> bytes)
    {
        var reader = new WireReader(bytes);
        while (reader.TryNext(out WireValue value))
        {
            yield return value;
        }
    }
}
