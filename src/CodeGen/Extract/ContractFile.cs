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
        + "# Written by 'ambrosia-codegen contract'. A line may only go when no message in any log or on any wire can carry its id.\n";

    /// <summary>The file for these interfaces.</summary>
    public static string Write(IEnumerable<InterfaceModel> interfaces) => Head + string.Concat(
        interfaces.OrderBy(static i => i.FullName, StringComparer.Ordinal).SelectMany(static i => i.Methods
            .OrderBy(static m => m.Signature, StringComparer.Ordinal)
            .Select(m => Line(i, m) + "\n")));

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
