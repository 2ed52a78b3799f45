using System.Globalization;
using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Compares a contract file with the interfaces as they are; for the analyzer and for the tool.</summary>
public static class ContractCheck
{
    /// <summary>What differs.</summary>
    /// <param name="lines">The lines of the file.</param>
    /// <param name="interfaces">The interfaces.</param>
    /// <returns>The rule, its arguments, and where: the line's number from 0, or the method that is not listed.</returns>
    public static IEnumerable<(DiagnosticDescriptor Rule, string[] Arguments, int Line, MethodModel? Method)> Compare(
        IReadOnlyList<string> lines, IReadOnlyList<InterfaceModel> interfaces)
    {
        HashSet<string> listed = [];
        for (int number = 0; number < lines.Count; number++)
        {
            if (ContractFile.IsBlank(lines[number]))
            {
                continue;
            }

            if (ContractFile.Parse(lines[number]) is not { } line)
            {
                yield return (ContractRules.BadLine, [(number + 1).ToString(CultureInfo.InvariantCulture), lines[number].Trim()], number,
                    null);
                continue;
            }

            listed.Add(line.Interface + " " + line.Signature);
            if (Difference(line, interfaces.FirstOrDefault(i => i.FullName == line.Interface)) is { } difference)
            {
                yield return (difference.Rule, difference.Arguments, number, null);
            }
        }

        foreach (InterfaceModel model in interfaces)
        {
            // A method that was renamed and kept its id has the line of its old name.
            foreach (MethodModel method in model.Methods.Where(m => !listed.Contains(model.FullName + " " + m.Signature)))
            {
                yield return (ContractRules.MethodNotListed, [$"{model.Name}.{method.Signature}"], -1, method);
            }
        }
    }

    private static (DiagnosticDescriptor Rule, string[] Arguments)? Difference(ContractLine line, InterfaceModel? model)
    {
        string id = line.Id.ToString(CultureInfo.InvariantCulture);
        MethodModel? method = model?.Methods.FirstOrDefault(m => m.Signature == line.Signature)
            ?? model?.Methods.FirstOrDefault(m => m.Id == line.Id);
        if (method is null)
        {
            return (ContractRules.MethodGone, [line.Signature, id, line.Interface]);
        }

        if (method.Id != line.Id)
        {
            return (ContractRules.IdChanged, [$"{model!.Name}.{line.Signature}", id, method.Id.ToString(CultureInfo.InvariantCulture)]);
        }

        // Types may have been renamed: what they mean on the wire the start of the app compares with its log.
        if (ContractFile.ParametersOf(method.Signature) != ContractFile.ParametersOf(line.Signature))
        {
            return (ContractRules.ParametersChanged, [$"{model!.Name}.{line.Signature}", id, method.Signature]);
        }

        return method.WireResult == line.Result ? null
            : (ContractRules.ResultChanged, [$"{model!.Name}.{line.Signature}", line.Result, method.WireResult]);
    }
}
