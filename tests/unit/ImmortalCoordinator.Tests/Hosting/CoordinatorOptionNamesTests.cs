using System.Text.RegularExpressions;
using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>The binding does not reference the coordinator, and knows its options by name.</summary>
public sealed class CoordinatorOptionNamesTests
{
    [Fact]
    public void The_binding_knows_every_option_of_the_coordinator_as_one_of_its_own_or_as_one_that_changes_nothing_in_an_app()
    {
        string[] apps = [.. NamesIn("AppOption.cs", "(?m)^        new\\(\"([a-z-]+)\"")];
        string[] misplaced = [.. NamesIn("CoordinatorOption.cs", "\"([a-z-]+)\"")];
        Assert.Equal(
            OptionDefinitions.All.Select(static option => option.Name).Except(apps).Order(StringComparer.Ordinal),
            misplaced.Order(StringComparer.Ordinal));
    }

    [Fact] // A coordinator inherits the environment of its app.
    public void No_variable_of_an_app_is_almost_one_of_the_coordinator()
    {
        string[] variables = [.. NamesIn("AppOption.cs", "(?m)^        new\\(\"([a-z-]+)\"")
            .Where(static name => OptionDefinitions.Find(name) is null)
            .Select(static name => "AMBROSIA_" + name.Replace('-', '_').ToUpperInvariant())];
        Assert.Contains("AMBROSIA_ON_FAULT", variables);
        Assert.Empty(MisspeltVariable.Among([.. variables, "AMBROSIA_LOG_LEVEL", "AMBROSIA_FAULT", "AMBROSIA_FAILPOINT"], static _ => "1"));
    }

    private static IEnumerable<string> NamesIn(string file, string pattern) =>
        Regex.Matches(File.ReadAllText(Path.Combine(Repository.Root, "src/CSharpBinding/Hosting", file)), pattern)
        .Select(static match => match.Groups[1].Value);
}
