using System.Text;

namespace Ambrosia.Architecture.Tests;

/// <summary>What is built for users knows nothing of the bugs that tests plant.</summary>
public sealed class ShippedAssembliesTests
{
    private static readonly byte[][] s_traces = [Encoding.UTF8.GetBytes("PlantedBug"), Encoding.Unicode.GetBytes("AMBROSIA_PLANTED_BUG"),
        Encoding.Unicode.GetBytes("skip-sync")];

    [Fact]
    public void No_source_and_no_built_assembly_holds_a_trace_of_planted_bugs()
    {
        Assert.DoesNotContain(Repository.Files("src", "*.cs"), path =>
            Repository.Text(path).Contains("PlantedBug", StringComparison.Ordinal));
        string[] built = [.. Directory.GetFiles(Repository.PathOf("src"), "*.dll", SearchOption.AllDirectories)
            .Where(path => path.Contains($"{Path.DirectorySeparatorChar}bin{Path.DirectorySeparatorChar}", StringComparison.Ordinal)
                && !path.Contains("planted", StringComparison.Ordinal))];
        // The search finds what it looks for: in this very assembly.
        Assert.Contains(s_traces, trace =>
            File.ReadAllBytes(typeof(ShippedAssembliesTests).Assembly.Location).AsSpan().IndexOf(trace) >= 0);
        foreach (string path in built)
        {
            byte[] bytes = File.ReadAllBytes(path);
            Assert.DoesNotContain(s_traces, trace => bytes.AsSpan().IndexOf(trace) >= 0);
        }
    }
}
