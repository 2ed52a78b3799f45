using System.Globalization;
using Ambrosia.CodeGen.Extract;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Tool;

/// <summary>Writes or checks the contract file. A change of what is on the wire already is never written without being asked for.</summary>
internal static class ContractCommand
{
    /// <summary>Runs it.</summary>
    /// <param name="inputs">The code.</param>
    /// <param name="file">The contract file.</param>
    /// <param name="check">Only compare; a method that is not listed is a difference, too.</param>
    /// <param name="force">Write even if methods that were listed are gone or changed.</param>
    /// <param name="output">Takes what was done.</param>
    /// <param name="errors">Takes what differs.</param>
    /// <param name="cancel">Ends it.</param>
    public static async Task<ExitCode> RunAsync(
        IReadOnlyList<string> inputs, string file, bool check, bool force, TextWriter output, TextWriter errors, CancellationToken cancel)
    {
        Input input = await InputReader.ReadAsync(inputs, cancel);
        IReadOnlyList<ExtractionResult> results = input.Extract(cancel);
        if (Reporter.Report(results.SelectMany(static r => r.Diagnostics), errors))
        {
            return ExitCode.Refused;
        }

        InterfaceModel[] interfaces = [.. results.Select(static r => r.Interface).OfType<InterfaceModel>()];
        string[] lines = File.Exists(file) ? await File.ReadAllLinesAsync(file, cancel) : [];
        if (Differs(lines, interfaces, file, check, errors) && !(force && !check))
        {
            await errors.WriteLineAsync(check
                ? $"{file} does not fit the code."
                : $"{file} was left as it is. If no message in any log or on any wire can carry what is gone, write it anew with --force.");
            return ExitCode.Refused;
        }

        if (check)
        {
            await output.WriteLineAsync($"{file} fits the code.");
            return ExitCode.Done;
        }

        string text = force ? ContractFile.Write(interfaces) : ContractFile.Complete(lines, interfaces);
        bool written = await TextFiles.WriteIfChangedAsync(file, text, cancel);
        await output.WriteLineAsync($"{(written ? "written  " : "unchanged")} {file}");
        return ExitCode.Done;
    }

    private static bool Differs(string[] lines, InterfaceModel[] interfaces, string file, bool check, TextWriter errors)
    {
        bool differs = false;
        foreach ((DiagnosticDescriptor rule, string[] arguments, int line, MethodModel? method) in ContractCheck.Compare(lines, interfaces))
        {
            if (method is not null && !check)
            {
                continue; // It is about to be added.
            }

            differs = true;
            string place = method is null ? string.Create(CultureInfo.InvariantCulture, $"{file}({line + 1}): ") : "";
            string text = string.Format(CultureInfo.InvariantCulture, rule.MessageFormat.ToString(CultureInfo.InvariantCulture),
                [.. arguments]);
            errors.WriteLine($"{place}{Reporter.Word(rule.DefaultSeverity)} {rule.Id}: {text}");
        }

        return differs;
    }
}
