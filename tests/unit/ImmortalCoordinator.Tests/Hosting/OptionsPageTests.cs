using Ambrosia.CoordinatorHost.Options;
using Ambrosia.ImmortalCoordinator.Tests.Support;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>The table of options in docs/operate/options.md is the program's own.</summary>
public sealed class OptionsPageTests
{
    private const string Begin = "it -->\n";
    private const string End = "<!-- end of options -->";

    [Fact]
    public void The_table_of_options_is_what_the_program_says()
    {
        string path = Path.Combine(Repository.Root, "docs/operate/options.md");
        string page = File.ReadAllText(path);
        int begin = page.IndexOf(Begin, StringComparison.Ordinal) + Begin.Length;
        int end = page.IndexOf(End, StringComparison.Ordinal);
        if (Environment.GetEnvironmentVariable("AMBROSIA_WRITE_DOCS") == "1")
        {
            File.WriteAllText(path, page[..begin] + Table() + page[end..]);
            return;
        }

        Assert.Equal(Table(), page[begin..end]);
    }

    private static string Table() => string.Concat(OptionDefinitions.All.GroupBy(option => option.Group).Select(group =>
        $"\n**{group.Key}**\n\n| option | environment | what |\n|---|---|---|\n"
        + string.Concat(group.Select(option =>
            $"| `--{option.Name}{(option.IsSwitch ? "" : " " + option.Value)}` | `{option.Variable}` | "
            + $"{option.Help}{HelpText.DefaultOf(option)} |\n")))) + "\n";
}
