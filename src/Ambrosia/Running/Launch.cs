using System.Diagnostics;

namespace Ambrosia.Cli.Running;

/// <summary>What <c>ambrosia run</c> starts.</summary>
internal sealed record Launch
{
    public required string Instance { get; init; }

    /// <summary>How it is called in what is said of it: the instance, or a replica of it.</summary>
    public required string Label { get; init; }

    public required string Coordinator { get; init; }

    public required string Store { get; init; }

    public required string Catalog { get; init; }

    public required string Cluster { get; init; }

    public required string Socket { get; init; }

    public required string Admin { get; init; }

    public required IReadOnlyList<string> CoordinatorOptions { get; init; }

    public required IReadOnlyList<string> Program { get; init; }

    /// <summary>Where the app is started; null: where this command was.</summary>
    public string? Folder { get; init; }

    /// <summary>Variables for the app, beside those of this command.</summary>
    public IReadOnlyDictionary<string, string> Environment { get; init; } = new Dictionary<string, string>();

    /// <summary>Whether what is typed here is for the app; else nothing ever arrives at its standard input.</summary>
    public bool AppReads { get; init; } = true;

    /// <summary>
    /// Whether the first coordinator asks the one that serves to hand over. One that is started again after a crash does not: by then it
    /// may have been asked to hand over itself.
    /// </summary>
    public bool AsksForHandover { get; init; }

    public ProcessStartInfo DescribeCoordinator(bool first)
    {
        string[] arguments =
        [
            "--instance-name", Instance, "--store", Store, "--catalog", Catalog, "--cluster", Cluster, "--binding-socket", Socket,
            "--admin", Admin,
            // Its standard input tells it when this process is gone.
            "--owner-pipe", .. first && AsksForHandover ? new[] { "--take-over" } : [], .. CoordinatorOptions,
        ];
        return Describe(DotnetProgram.StartOf(Coordinator), arguments, redirectInput: true);
    }

    public ProcessStartInfo DescribeApp()
    {
        ProcessStartInfo start = DescribeProgram(Program, Folder, Environment, reads: AppReads);
        start.Environment["AMBROSIA_SOCKET"] = Socket;
        start.Environment["AMBROSIA_INSTANCE_NAME"] = Instance;
        start.Environment["AMBROSIA_ON_COORDINATOR_EXIT"] = "wait";
        return start;
    }

    /// <summary>A program that has no coordinator.</summary>
    public static ProcessStartInfo DescribeProgram(
        IReadOnlyList<string> program, string? folder, IReadOnlyDictionary<string, string> environment, bool reads)
    {
        ProcessStartInfo start = Describe(new ProcessStartInfo(program[0]), program.Skip(1), redirectInput: !reads);
        start.WorkingDirectory = folder ?? "";
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return start;
    }

    private static ProcessStartInfo Describe(ProcessStartInfo start, IEnumerable<string> arguments, bool redirectInput)
    {
        (start.RedirectStandardInput, start.RedirectStandardOutput, start.RedirectStandardError) = (redirectInput, true, true);
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        return start;
    }
}
