using System.Globalization;
using System.Text;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>A typed service as the text of a <c>.proto</c>.</summary>
internal static class ProtoText
{
    /// <summary>The text.</summary>
    /// <param name="service">The service.</param>
    /// <param name="methods">Those of its methods that the caller may call.</param>
    public static string Write(ProtoService service, IReadOnlyList<ProtoMethod> methods)
    {
        var text = new StringBuilder();
        Line($"syntax = \"proto3\";");
        Line($"");
        Line($"package {service.Package};");
        Line($"");
        ProtoMethod[] served = [.. methods.Where(static method => method.Missing is null)];
        Line($"service {service.Name} {{");
        foreach (ProtoMethod method in served)
        {
            Line(method.Shape.IsQuery
                ? (FormattableString)$"  rpc {method.Name} ({method.Request.Name}) returns ({method.Reply.Name}) {{"
                : $"  rpc {method.Name} ({method.Request.Name}) returns ({method.Reply.Name});");
            if (method.Shape.IsQuery)
            {
                Line($"    option idempotency_level = NO_SIDE_EFFECTS;");
                Line($"  }}");
            }
        }

        foreach (ProtoMethod method in methods.Except(served))
        {
            Line($"  // {method.Name} is missing: {method.Missing}. ambrosia.v1.Ingress calls it.");
        }

        Line($"}}");
        foreach (ProtoMessage message in ProtoService.MessagesOf(served))
        {
            Line($"");
            Line($"message {message.Name} {{");
            bool isUnion = message.Form == ProtoForm.Union && message.Fields.Count > 0; // A oneof without fields is none.
            string indent = isUnion ? "    " : "  ";
            if (isUnion)
            {
                Line($"  oneof kind {{");
            }

            foreach (ProtoField field in message.Fields)
            {
                Line($"{indent}{LabelOf(field, isUnion)}{TypeOf(service, field.Content)} {field.Name} = {field.Number};");
            }

            if (isUnion)
            {
                Line($"  }}");
            }

            Line($"}}");
        }

        return text.ToString();

        void Line(FormattableString line) => text.Append(line.ToString(CultureInfo.InvariantCulture)).Append('\n');
    }

    private static string LabelOf(ProtoField field, bool isUnion) => isUnion || field.Content.Key is not null ? ""
        : field.Content.IsRepeated ? "repeated "
        : field.IsOptional ? "optional " : "";

    private static string TypeOf(ProtoService service, ProtoContent content)
    {
        string one = content.Message is { } message ? Reference(service, message.Name) : NameOf(content.Kind);
        return content.Key is { } key ? $"map<{NameOf(key)}, {one}>" : one;
    }

    // With its package, if it could be taken for a word of the language or for the message that an entry of a map is.
    private static string Reference(ProtoService service, string name) =>
        char.IsAsciiLetterUpper(name[0]) && !name.EndsWith("Entry", StringComparison.Ordinal) ? name : $".{service.Package}.{name}";

    private static string NameOf(ProtoKind kind) => kind.ToString().ToLowerInvariant();
}
