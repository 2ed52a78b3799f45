using System.Globalization;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Extract;

/// <summary>
/// The contract file: one line per method, <c>Shop.IBank 1426513567 Deposit(System.String,System.Decimal) -> System.Decimal</c>, so that a
/// change of the wire shows in review.
/// </summary>
public static class ContractFile
{
    /// <summary>The name that the analyzer looks for among the additional files.</summary>
    public const string Name = "ImmortalContracts.txt";

    private const string Head =
        "# What the immortals of this project answer to: interface, method id, signature, result. Checked by every build.\n"
        + "# Written by the build, which only adds lines; keep it with the code. "
        + "A line may go when no message in any log or on any wire can carry its id.\n";

    /// <summary>The file for these interfaces.</summary>
    public static string Write(IEnumerable<InterfaceModel> interfaces) => Head + string.Concat(
        interfaces.OrderBy(static i => i.FullName, StringComparer.Ordinal).SelectMany(static i => i.Methods
            .OrderBy(static m => m.Signature, StringComparer.Ordinal)
            .Select(m => Line(i, m) + "\n")));

    /// <summary>The file with the methods that it lacks; all that stands in it stays, comments and lines of old names included.</summary>
    public static string Complete(IReadOnlyList<string> lines, IEnumerable<InterfaceModel> interfaces)
    {
        List<string> result = [.. lines];
        HashSet<string> listed = [.. lines.Where(static l => !IsBlank(l)).Select(static l => Parse(l)).OfType<ContractLine>().Select(Key)];
        if (listed.Count == 0 && lines.All(static l => l.Trim().Length == 0))
        {
            return Write(interfaces);
        }

        foreach (InterfaceModel model in interfaces.OrderBy(static i => i.FullName, StringComparer.Ordinal))
        {
            foreach (MethodModel method in model.Methods.OrderBy(static m => m.Signature, StringComparer.Ordinal))
            {
                if (listed.Add(model.FullName + " " + method.Signature))
                {
                    result.Insert(PlaceOf(model.FullName, method.Signature, result), Line(model, method));
                }
            }
        }

        return string.Concat(result.Select(static l => l + "\n"));
    }

    /// <summary>Whether a file of the compilation is the contract.</summary>
    public static bool IsContract(string path)
    {
        string normal = path.Replace('\\', '/');
        return normal == Name || normal.EndsWith("/" + Name, StringComparison.Ordinal);
    }

    /// <summary>How many parameters a signature has.</summary>
    public static int ParametersOf(string signature)
    {
        int begin = signature.IndexOf('(');
        string parameters = signature.Substring(begin + 1, Math.Max(0, signature.Length - begin - 2));
        int depth = 0, count = parameters.Length == 0 ? 0 : 1;
        foreach (char letter in parameters)
        {
            // Types of their own: generic arguments, tuples, dimensions of arrays.
            depth += letter is '<' or '(' or '[' ? 1 : letter is '>' or ')' or ']' ? -1 : 0;
            count += letter == ',' && depth == 0 ? 1 : 0;
        }

        return count;
    }

    // After the last line of its interface that comes before it, so that the order of a file that was written at once stays.
    private static int PlaceOf(string owner, string signature, List<string> lines)
    {
        int place = -1;
        for (int number = 0; number < lines.Count; number++)
        {
            if (!IsBlank(lines[number]) && Parse(lines[number]) is { } line
                && (string.CompareOrdinal(line.Interface, owner) < 0
                    || (line.Interface == owner && string.CompareOrdinal(line.Signature, signature) < 0)))
            {
                place = number + 1;
            }
        }

        return place >= 0 ? place : lines.TakeWhile(static l => IsBlank(l)).Count();
    }

    private static string Key(ContractLine line) => line.Interface + " " + line.Signature;

    /// <summary>The line of one method.</summary>
    public static string Line(InterfaceModel model, MethodModel method) =>
        $"{model.FullName} {method.Id.ToString(CultureInfo.InvariantCulture)} {method.Signature} -> {method.WireResult}";

    /// <summary>Reads one line; null if it is not one.</summary>
    public static ContractLine? Parse(string line)
    {
        string[] parts = line.Split([' '], 3);
        int arrow = parts.Length < 3 ? -1 : parts[2].IndexOf(" -> ", StringComparison.Ordinal);
        return arrow > 0 && int.TryParse(parts[1], NumberStyles.None, CultureInfo.InvariantCulture, out int id)
            ? new ContractLine(parts[0], id, parts[2].Substring(0, arrow), parts[2].Substring(arrow + 4).TrimEnd())
            : null;
    }

    /// <summary>Whether a line holds nothing.</summary>
    public static bool IsBlank(string line) => line.Trim().Length == 0 || line.TrimStart()[0] == '#';
}
