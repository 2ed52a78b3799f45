using System.Diagnostics;

namespace Ambrosia.Cli.Running;

/// <summary>What <c>ambrosia upgrade</c> starts.</summary>
internal sealed record SuccessorLaunch
{
    public required string Instance { get; init; }

    /// <summary>Where the app attaches: as an app's option.</summary>
    public required string Socket { get; init; }

    public required IReadOnlyList<string> Program { get; init; }

    /// <summary>The new app.</summary>
    /// <param name="upgrade">False once it has its place: then it is started again as itself.</param>
    public ProcessStartInfo Describe(bool upgrade)
    {
        var start = new ProcessStartInfo(Program[0]) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach (string argument in Program.Skip(1))
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment["AMBROSIA_SOCKET"] = Socket;
        start.Environment["AMBROSIA_INSTANCE_NAME"] = Instance;
        start.Environment["AMBROSIA_ON_COORDINATOR_EXIT"] = "wait";
        start.Environment["AMBROSIA_UPGRADE"] = upgrade ? "true" : "false";
        return start;
    }
}
