using System.Diagnostics;

namespace Ambrosia.Packages.Tests.Support;

/// <summary>
/// Somebody outside of the repository who has the packages and the SDK: a folder, a package cache and a home for logs of their own. One for
/// all tests, because packing and restoring take most of the time.
/// </summary>
public sealed class Newcomer : IAsyncLifetime
{
    private const string Mixed = "0.0.1-other";
    private readonly List<Child> _children = [];

    /// <summary>A version that is not the one under test, of every package.</summary>
    public static string OtherVersion => Mixed;

    /// <summary>What is made lies here.</summary>
    public string Folder { get; } = Directory.CreateTempSubdirectory("ambrosia-new-").FullName;

    /// <summary>The packages under test.</summary>
    public string Packages => Path.Combine(Folder, "packages");

    public async Task InitializeAsync()
    {
        await PackAsync(Packages);
        // The machine's own sources, and this one.
        await File.WriteAllTextAsync(Path.Combine(Folder, "nuget.config"),
            $"""<configuration><packageSources><add key="ambrosia" value="{Packages}" /></packageSources></configuration>""");
        string template = Path.Combine(Packages, $"Ambrosia.Templates.{Repository.Version}.nupkg");
        await SucceedAsync(Folder, $"dotnet new install {template}");
    }

    public Task DisposeAsync()
    {
        foreach (Child child in _children)
        {
            child.Dispose();
        }

        Directory.Delete(Folder, recursive: true);
        return Task.CompletedTask;
    }

    /// <summary>Packs what the build of these tests has built.</summary>
    internal Task PackAsync(string folder, params string[] options) => PackAsync(folder, natives: "", options);

    /// <summary>Packs what the build of these tests has built, with native coordinators from a folder that has one for each
    /// runtime.</summary>
    internal async Task PackAsync(string folder, string natives, string[] options)
    {
        // In the folder of the repository, with its own package cache.
        ProcessStartInfo start =
            new("bash", [Repository.PathOf("pack.sh"), folder, "--built", "--configuration", Configuration, .. options]);
        start.Environment.Remove("AMBROSIA_COORDINATOR");
        start.Environment["NativeCoordinators"] = natives;
        Child pack = Own(Child.Start(start));
        await pack.EndAsync();
        Assert.True(pack.ExitCode == 0, pack.Output);
    }

    /// <summary>Starts a command line in a folder, with more variables than all commands have.</summary>
    internal Child Start(string folder, string line, params (string Name, string Value)[] more)
    {
        string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
        if (words is ["dotnet", "new", ..])
        {
            words = [.. words, "--debug:custom-hive", Path.Combine(Folder, "hive")]; // Not the templates of the user.
        }

        var start = new ProcessStartInfo(words[0], words[1..]) { WorkingDirectory = folder };
        (string Name, string Value)[] environment =
        [
            ("NUGET_PACKAGES", Path.Combine(Folder, "cache")), ("AMBROSIA_HOME", Path.Combine(Folder, "home")), ("XDG_RUNTIME_DIR", Folder),
            // Nothing that a build starts outlives it, but for the compiler server of ./test.sh, which ends it.
            ("MSBUILDDISABLENODEREUSE", "1"), ("UseSharedCompilation", HasCompilerServer ? "true" : "false"),
            ("DOTNET_CLI_USE_MSBUILD_SERVER", "0"),
            ("DOTNET_NOLOGO", "1"),
            ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ];
        foreach ((string name, string value) in environment.Concat(more))
        {
            start.Environment[name] = value;
        }

        start.Environment.Remove("AMBROSIA_COORDINATOR");
        return Own(Child.Start(start));
    }

    /// <summary>Runs a command line to its end.</summary>
    internal async Task<(int Code, string Output)> RunAsync(string folder, string line)
    {
        Child child = Start(folder, line);
        string output = await child.EndAsync();
        return (child.ExitCode, output);
    }

    /// <summary>Runs a command line that must end well.</summary>
    internal async Task<string> SucceedAsync(string folder, string line)
    {
        (int code, string output) = await RunAsync(folder, line);
        Assert.True(code == 0, $"{line} ended with code {code}:\n{output}");
        return output;
    }

    private static bool HasCompilerServer => Environment.GetEnvironmentVariable("SharedCompilationId") is { Length: > 0 };

    private static string Configuration =>
#if DEBUG
        "Debug";
#else
        "Release";
#endif

    private Child Own(Child child)
    {
        _children.Add(child);
        return child;
    }
}
