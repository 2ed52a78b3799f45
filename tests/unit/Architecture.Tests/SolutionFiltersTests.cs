using System.Text.Json;

namespace Ambrosia.Architecture.Tests;

/// <summary>What a run of the unit tests builds is what it runs: no test of it is left out, and nothing else is built for it.</summary>
public sealed class SolutionFiltersTests
{
    [Fact]
    public void Everyday_holds_the_unit_tests_and_the_samples()
    {
        using var filter = JsonDocument.Parse(Repository.Text("everyday.slnf"));

        Assert.Equal(Repository.Files("samples", "*.csproj").Concat(Repository.Files("tests/unit", "*.csproj")),
            filter.RootElement.GetProperty("solution").GetProperty("projects").EnumerateArray().Select(static path => path.GetString()!));
    }
}
