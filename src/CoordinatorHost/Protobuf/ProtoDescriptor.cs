using System.Buffers;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>
/// A typed service as a <c>google.protobuf.FileDescriptorProto</c>: the bytes that protoc makes of <see cref="ProtoText"/>. The numbers
/// are those of <c>google/protobuf/descriptor.proto</c>.
/// </summary>
internal static class ProtoDescriptor
{
    private const string Entry = "Entry";
    private const ulong Single = 1, Repeated = 3, OfMessage = 11, NoSideEffects = 1;

    /// <summary>The file.</summary>
    /// <param name="service">The service.</param>
    /// <param name="methods">Those of its methods that the caller may call.</param>
    public static byte[] Write(ProtoService service, IReadOnlyList<ProtoMethod> methods)
    {
        ProtoMethod[] served = [.. methods.Where(static method => method.Missing is null)];
        var output = new ArrayBufferWriter<byte>();
        var file = new WireWriter(output);
        file.Text(1, service.FileName);
        file.Text(2, service.Package);
        foreach (ProtoMessage message in ProtoService.MessagesOf(served))
        {
            file.Message(4, each => Message(each, service.Package, message));
        }

        file.Message(6, each => Service(each, service, served));
        file.Text(12, "proto3");
        return output.WrittenSpan.ToArray();
    }

    private static void Service(WireWriter output, ProtoService service, ProtoMethod[] methods)
    {
        output.Text(1, service.Name);
        foreach (ProtoMethod method in methods)
        {
            output.Message(2, each =>
            {
                each.Text(1, method.Name);
                each.Text(2, $".{service.Package}.{method.Request.Name}");
                each.Text(3, $".{service.Package}.{method.Reply.Name}");
                if (method.Shape.IsQuery)
                {
                    each.Message(4, static options => options.Varint(34, NoSideEffects));
                }
            });
        }
    }

    private static void Message(WireWriter output, string package, ProtoMessage message)
    {
        bool isUnion = message.Form == ProtoForm.Union && message.Fields.Count > 0;
        output.Text(1, message.Name);
        var alone = new List<string>(); // Each optional field is in a oneof of its own.
        foreach (ProtoField field in message.Fields)
        {
            bool isOptional = !isUnion && field.IsOptional;
            int? oneof = isUnion ? 0 : isOptional ? alone.Count : null;
            output.Message(2, each => Field(each, package, message, field, oneof, isOptional));
            if (isOptional)
            {
                alone.Add("_" + field.Name);
            }
        }

        foreach (ProtoField field in message.Fields.Where(static field => field.Content.Key is not null))
        {
            output.Message(3, each => MapEntry(each, package, field));
        }

        foreach (string name in isUnion ? ["kind"] : alone)
        {
            output.Message(8, each => each.Text(1, name));
        }
    }

    private static void Field(WireWriter output, string package, ProtoMessage message, ProtoField field, int? oneof, bool isOptional)
    {
        ProtoContent content = field.Content;
        string? entry = content.Key is null ? null : $".{package}.{message.Name}.{Joined(field.Name, isUpper: true)}{Entry}";
        Field(output, field.Name, field.Number, content.IsRepeated, entry is null ? content.Kind : ProtoKind.Message,
            entry ?? (content.Message is { } other ? $".{package}.{other.Name}" : null), oneof, isOptional);
    }

    private static void MapEntry(WireWriter output, string package, ProtoField field)
    {
        ProtoContent content = field.Content;
        output.Text(1, Joined(field.Name, isUpper: true) + Entry);
        output.Message(2, each => Field(each, "key", 1, isRepeated: false, content.Key!.Value, null, null, isOptional: false));
        output.Message(2, each => Field(each, "value", 2, isRepeated: false, content.Kind,
            content.Message is { } other ? $".{package}.{other.Name}" : null, null, isOptional: false));
        output.Message(7, static options => options.Varint(7, 1)); // It is the entry of a map.
    }

    private static void Field(
        WireWriter output, string name, int number, bool isRepeated, ProtoKind kind, string? type, int? oneof, bool isOptional)
    {
        output.Text(1, name);
        output.Varint(3, (ulong)number);
        output.Varint(4, isRepeated ? Repeated : Single);
        output.Varint(5, NumberOf(kind));
        if (type is not null)
        {
            output.Text(6, type);
        }

        if (oneof is { } index)
        {
            output.Varint(9, (ulong)index);
        }

        output.Text(10, Joined(name, isUpper: false));
        if (isOptional)
        {
            output.Varint(17, 1);
        }
    }

    // As protoc does: a letter after an underscore is a capital one.
    private static string Joined(string name, bool isUpper)
    {
        Span<char> text = stackalloc char[name.Length];
        int size = 0;
        foreach (char each in name)
        {
            if (each == '_')
            {
                isUpper = true;
                continue;
            }

            text[size++] = isUpper ? char.ToUpperInvariant(each) : each;
            isUpper = false;
        }

        return new string(text[..size]);
    }

    private static ulong NumberOf(ProtoKind kind) => kind switch
    {
        ProtoKind.Double => 1,
        ProtoKind.Float => 2,
        ProtoKind.Int64 => 3,
        ProtoKind.UInt64 => 4,
        ProtoKind.Int32 => 5,
        ProtoKind.Bool => 8,
        ProtoKind.String => 9,
        ProtoKind.Bytes => 12,
        ProtoKind.UInt32 => 13,
        _ => OfMessage,
    };
}
