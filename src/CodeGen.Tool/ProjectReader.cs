using System.Diagnostics;
using System.Text.Json;

namespace Ambrosia.CodeGen.Tool;

/// <summary>Asks MSBuild what the compiler would be given; the project's references are built for it.</summary>
internal static class ProjectReader
{
    /// <summary>Evaluates a project.</summary>
    /// <exception cref="InputException">MSBuild could not evaluate it.</exception>
    public static async Task<ProjectItems> ReadAsync(string path, CancellationToken cancel)
    {
        ProcessStartInfo start = new(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
            // MSBuild resolves what it prints against the current folder, not against the project's.
            WorkingDirectory = Path.GetDirectoryName(Path.GetFullPath(path)),
        };
        foreach (string argument in (string[])["msbuild", Path.GetFullPath(path), "-restore", "-nologo", "-nodeReuse:false",
            "-t:GenerateGlobalUsings;ResolveReferences;FindReferenceAssembliesForReferences",
            "-getItem:Compile", "-getItem:ReferencePathWithRefAssemblies", "-getProperty:DefineConstants"])
        {
            start.ArgumentList.Add(argument);
        }

        using Process process = Process.Start(start) ?? throw new InputException("The .NET SDK's dotnet command could not be started.");
        Task<string> output = process.StandardOutput.ReadToEndAsync(cancel);
        Task<string> errors = process.StandardError.ReadToEndAsync(cancel);
        await process.WaitForExitAsync(cancel);
        string text = await output;
        if (process.ExitCode != 0)
        {
            throw new InputException($"MSBuild could not evaluate {path}: {FirstError(text + await errors)}");
        }

        return Parse(text);
    }

    private static ProjectItems Parse(string json)
    {
        using JsonDocument document = JsonDocument.Parse(json);
        JsonElement items = document.RootElement.GetProperty("Items");
        string symbols = document.RootElement.GetProperty("Properties").GetProperty("DefineConstants").GetString() ?? "";
        return new ProjectItems(
            Paths(items, "Compile"), Paths(items, "ReferencePathWithRefAssemblies"),
            symbols.Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries));
    }

    private static string[] Paths(JsonElement items, string name) =>
        [.. items.GetProperty(name).EnumerateArray().Select(static item => item.GetProperty("FullPath").GetString()!).Distinct()];

    private static string FirstError(string text) =>
        text.Split('\n').FirstOrDefault(static line => line.Contains("error", StringComparison.OrdinalIgnoreCase))?.Trim() ?? text.Trim();
}
