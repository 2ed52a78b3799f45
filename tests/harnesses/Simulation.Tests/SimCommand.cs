using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The command line: <c>--first N --count N --every N --workers N --trace --twice-one-in N --followed-in-service --back-and-forth
/// --drops --effects --no-effects --callers --no-callers --awakeables --product-limits</c>.
/// </summary>
internal static class SimCommand
{
    public static int Run(string[] arguments, TextWriter output)
    {
        int first = Read("--first", 1);
        int count = Read("--count", 100);
        bool trace = arguments.Contains("--trace");
        bool followedInService = arguments.Contains("--followed-in-service");
        bool backAndForth = arguments.Contains("--back-and-forth");
        bool drops = arguments.Contains("--drops");
        bool callers = arguments.Contains("--callers");
        bool awakeables = arguments.Contains("--awakeables");
        bool effects = arguments.Contains("--effects");
        var run = new SimRun(first, count, Read("--workers", 1), Read("--twice-one-in", 50))
        {
            Print = trace ? output.WriteLine : null,
            MaxFailures = Read("--failures", 1),
            ShrinksLimits = !arguments.Contains("--product-limits"),
            HasEffects = !arguments.Contains("--no-effects"),
            HasCallers = !arguments.Contains("--no-callers"),
            Stride = Read("--every", 1),
            Only = cluster => (!followedInService || cluster.Replicas.FollowsInService)
                && (!backAndForth || cluster is { Replicas.IsOn: true, Upgrades.GoesBack: true })
                && (!drops || cluster.DropsOutputs) && (!effects || cluster.Effects.IsOn)
                && (!callers || cluster.Callers.IsOn) && (!awakeables || cluster.Awakeables.IsOn),
        };
        long begin = Stopwatch.GetTimestamp();
        string? failure = run.Execute();
        output.WriteLine(run.Report.Describe(Stopwatch.GetElapsedTime(begin)));
        if (arguments.Contains("--gaps"))
        {
            output.WriteLine(string.Join('\n', run.Report.Gaps()));
        }

        output.WriteLine(failure ?? "passed");
        return failure is null ? 0 : 1;

        int Read(string name, int otherwise)
        {
            int at = Array.IndexOf(arguments, name);
            return at >= 0 && at + 1 < arguments.Length ? int.Parse(arguments[at + 1], CultureInfo.InvariantCulture) : otherwise;
        }
    }
}
