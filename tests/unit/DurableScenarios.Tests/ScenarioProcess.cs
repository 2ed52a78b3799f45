using System.Diagnostics;

namespace Ambrosia.DurableScenarios.Tests;

/// <summary>Runs one build of the scenarios as a process of its own and gives the lines it printed.</summary>
internal static class ScenarioProcess
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(120);

    public static string[] Run(string configuration, string variant, params string[] arguments)
    {
        string program = Path.Combine(Folder(configuration, variant), "DurableScenarios.dll");
        Assert.True(File.Exists(program), $"{program} was not built.");
        ProcessStartInfo start =
            new(Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host : "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.ArgumentList.Add(program);
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }
        using Process process = Process.Start(start)!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        if (!Task.WaitAll([errors, output], s_limit))
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail($"{program} {string.Join(' ', arguments)} did not end within {s_limit}.");
        }
        process.WaitForExit();
        Assert.True(process.ExitCode == 0, errors.Result);
        return output.Result.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
    }

    public static int Number(string[] lines, string name) =>
        int.Parse(lines.Single(line => line.StartsWith(name + " ", StringComparison.Ordinal)).Split(' ')[1],
            System.Globalization.CultureInfo.InvariantCulture);

    private static string Folder(string configuration, string variant)
    {
        string folder = AppContext.BaseDirectory;
        while (!Directory.Exists(Path.Combine(folder, "tests", "support")))
        {
            folder = Path.GetDirectoryName(folder)
                ?? throw new DirectoryNotFoundException("The repository was not found above the test assembly.");
        }
        return Path.Combine(folder, "tests", "support", "DurableScenarios", "bin", configuration, variant);
    }
}
