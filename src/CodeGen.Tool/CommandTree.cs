using System.CommandLine;

namespace Ambrosia.CodeGen.Tool;

/// <summary>The commands, their options and their help.</summary>
internal static class CommandTree
{
    private const string Description = """
        Writes what Ambrosia's code generator adds to a compilation, for people who want to see or keep it.

        Examples:
          ambrosia-codegen generate src/Bank/Bank.csproj -o src/Bank/Generated
          ambrosia-codegen contract src/Bank/Bank.csproj
          ambrosia-codegen contract src/Bank/Bank.csproj --check

        Exit codes: 0 done, 1 an interface has errors or the contract does not fit, 2 an input cannot be read.
        """;

    /// <summary>The root command.</summary>
    public static RootCommand Create(TextWriter output, TextWriter errors) =>
        new(Description) { Generate(output, errors), Contract(output, errors) };

    private static Command Generate(TextWriter output, TextWriter errors)
    {
        Argument<string[]> inputs = Inputs();
        Option<string> folder = new("--output", "-o")
        {
            Description = "Folder that the files are written to; unchanged files keep their time.",
            Required = true,
        };
        Command command = new("generate",
            "Writes base classes, proxies and formatters into files. Keep them in a project without the generator, or both would define "
            + "the same types.") { inputs, folder };
        command.SetAction((parsed, cancel) => GuardAsync(
            () => GenerateCommand.RunAsync(parsed.GetValue(inputs)!, parsed.GetValue(folder)!, output, errors, cancel), errors));
        return command;
    }

    private static Command Contract(TextWriter output, TextWriter errors)
    {
        Argument<string[]> inputs = Inputs();
        Option<string?> file = new("--output", "-o")
            { Description = "The contract file. Default: ImmortalContracts.txt beside the first input." };
        Option<bool> check = new("--check") { Description = "Only compare; exit code 1 if they differ." };
        Option<bool> force = new("--force") { Description = "Write even if methods that are listed are gone or changed." };
        Command command = new("contract", "Writes or checks the contract file, which every build compares with the interfaces.")
            { inputs, file, check, force };
        command.SetAction((parsed, cancel) =>
        {
            string[] paths = parsed.GetValue(inputs)!;
            string path = parsed.GetValue(file) ?? Path.Combine(Path.GetDirectoryName(paths[0]) ?? "", Extract.ContractFile.Name);
            return GuardAsync(
                () => ContractCommand.RunAsync(paths, path, parsed.GetValue(check), parsed.GetValue(force), output, errors, cancel),
                errors);
        });
        return command;
    }

    private static Argument<string[]> Inputs() => new("input")
    {
        Description = "A project (.csproj), an assembly (.dll), or source files (.cs).",
        Arity = ArgumentArity.OneOrMore,
    };

    private static async Task<int> GuardAsync(Func<Task<ExitCode>> run, TextWriter errors)
    {
        try
        {
            return (int)await run();
        }
        catch (Exception error) when (error is InputException or IOException or UnauthorizedAccessException)
        {
            await errors.WriteLineAsync(error.Message);
            return (int)ExitCode.BadInput;
        }
    }
}
