using System.Globalization;
using System.Text;
using Ambrosia.CoordinatorHost.Shapes;

namespace Ambrosia.CoordinatorHost.Protobuf;

/// <summary>Names as Protocol Buffers take them: ASCII letters, digits and underscores, and no two alike in one place.</summary>
internal sealed class ProtoNames
{
    private readonly HashSet<string> _taken = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>A name that nobody else has here: the first of these that is free, else the last one with a number.</summary>
    public string Take(params string[] wanted)
    {
        foreach (string name in wanted)
        {
            if (_taken.Add(Plain(name)))
            {
                return name;
            }
        }

        for (int number = 2; ; number++)
        {
            string name = wanted[^1] + "_" + number.ToString(CultureInfo.InvariantCulture) + "x"; // A digit at the end would be joined.
            if (_taken.Add(Plain(name)))
            {
                return name;
            }
        }
    }

    /// <summary>A name of a type or method.</summary>
    public static string OfType(string name)
    {
        var text = new StringBuilder(name.Length);
        foreach (char each in name)
        {
            text.Append(char.IsAsciiLetterOrDigit(each) ? each : '_');
        }

        string plain = text.ToString().Trim('_');
        return plain.Length > 0 && char.IsAsciiLetter(plain[0]) ? plain : "X" + plain;
    }

    /// <summary>A name of a field or of a part of a package: <c>account_id</c>.</summary>
    public static string OfField(string name)
    {
        string plain = OfType(name);
        var text = new StringBuilder(plain.Length + 4);
        for (int i = 0; i < plain.Length; i++)
        {
            bool begins = char.IsAsciiLetterUpper(plain[i]) && i > 0 && plain[i - 1] != '_'
                && (!char.IsAsciiLetterUpper(plain[i - 1]) || (i + 1 < plain.Length && char.IsAsciiLetterLower(plain[i + 1])));
            text.Append(begins ? "_" : "").Append(char.ToLowerInvariant(plain[i]));
        }

        return text.ToString();
    }

    /// <summary>What a type is called in the name of another one.</summary>
    public static string Of(TypeShape type) => type switch
    {
        ScalarShape scalar => scalar.Kind.ToString(),
        NamedShape named => Short(named),
        OptionalShape optional => "Nullable" + Of(optional.Value),
        ListShape list => "ListOf" + Of(list.Item),
        MapShape map => $"MapOf{Of(map.Key)}To{Of(map.Value)}",
        TupleShape tuple => "TupleOf" + string.Join("And", tuple.Items.Select(Of)),
        _ => "Value",
    };

    /// <summary>The name of a type without its namespace.</summary>
    public static string Short(NamedShape type) => OfType(type.Name.Contains('<', StringComparison.Ordinal)
        ? type.Name : type.Name[(type.Name.LastIndexOf('.') + 1)..]);

    // Names that differ in underscores and case only are one name in JSON, and in generated code.
    private static string Plain(string name) => name.Replace("_", "", StringComparison.Ordinal);
}
