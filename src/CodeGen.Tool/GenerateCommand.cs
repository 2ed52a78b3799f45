using Ambrosia.CodeGen.Emit;
using Ambrosia.CodeGen.Model;

namespace Ambrosia.CodeGen.Tool;

/// <summary>Writes the files that the generator would add to the compilation.</summary>
internal static class GenerateCommand
{
    /// <summary>Runs it.</summary>
    public static async Task<ExitCode> RunAsync(
        IReadOnlyList<string> inputs, string folder, TextWriter output, TextWriter errors, CancellationToken cancel)
    {
        Input input = await InputReader.ReadAsync(inputs, cancel);
        IReadOnlyList<ExtractionResult> results = input.Extract(cancel);
        if (results.Count == 0)
        {
            throw new InputException($"No interface in {string.Join(", ", inputs)} has the attribute [ImmortalInterface].");
        }

        if (Reporter.Report(results.SelectMany(static r => r.Diagnostics), errors))
        {
            return ExitCode.Refused;
        }

        foreach ((string name, string text) in Files(results))
        {
            bool written = await TextFiles.WriteIfChangedAsync(Path.Combine(folder, name), text, cancel);
            await output.WriteLineAsync($"{(written ? "written  " : "unchanged")} {Path.Combine(folder, name)}");
        }

        return ExitCode.Done;
    }

    private static IEnumerable<(string Name, string Text)> Files(IReadOnlyList<ExtractionResult> results)
    {
        foreach (InterfaceModel model in results.Select(static r => r.Interface).OfType<InterfaceModel>())
        {
            yield return (model.FullName + ".g.cs", InterfaceEmitter.Emit(model));
        }

        foreach (FormatterModel formatter in results.SelectMany(static r => r.Formatters).DistinctBy(static f => f.Name)
            .OrderBy(static f => f.Name, StringComparer.Ordinal))
        {
            yield return (formatter.Name + ".g.cs", FormatterEmitter.Emit(formatter));
        }
    }
}
