using Ambrosia.Cli.Commands;

namespace Ambrosia.Cli.Applications;

/// <summary>What files for containers need of an application, whatever runs them.</summary>
internal static class Containers
{
    /// <summary>Where coordinators listen for each other.</summary>
    public const int PeerPort = 4100;

    private const int LongestName = 40; // What is made of it must stay below 63 letters.

    private static readonly string[] s_words = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]; // No texts to YAML.

    /// <summary>Refuses an application that cannot run in containers, with the first reason.</summary>
    /// <exception cref="CommandException">It cannot.</exception>
    public static void Require(Application application)
    {
        if (!IsLabel(application.Name))
        {
            throw new CommandException(CommandExit.Usage,
                $"\"name\": '{application.Name}' cannot name what runs in containers: {s_rule} Give the file a \"name\".");
        }

        foreach (Member member in application.Members)
        {
            if (!IsLabel(member.Name))
            {
                throw new CommandException(CommandExit.Usage, $"'{member.Name}' cannot be the name of a container: {s_rule}");
            }

            if (member.Image.Length == 0)
            {
                throw new CommandException(CommandExit.Usage,
                    $"{PlaceOf(member)} needs \"image\", as in \"{application.Name}-{member.Name}:1.0.0\": "
                        + "'dotnet publish -t:PublishContainer' makes it.");
            }

            _ = ImageName.Parse(member.Image, $"{PlaceOf(member)}.image");
        }
    }

    /// <summary>Refuses a member whose name is needed for something else.</summary>
    /// <exception cref="CommandException">There is one.</exception>
    public static void RequireOther(Application application, string name, string use)
    {
        if (application.Members.FirstOrDefault(member => member.Name == name) is { } member)
        {
            throw new CommandException(CommandExit.Usage, $"{PlaceOf(member)} needs another name: '{name}' is {use}.");
        }
    }

    /// <summary>Where the file speaks of it.</summary>
    public static string PlaceOf(Member member) => $"{(member.IsImmortal ? "immortals" : "programs")}.{member.Name}";

    /// <summary>The coordinator's options as variables, by which it reads them just as well.</summary>
    /// <exception cref="CommandException">One of them is none.</exception>
    public static IEnumerable<KeyValuePair<string, string>> VariablesOf(Member member)
    {
        foreach (string option in member.Options)
        {
            string[] parts = option.Split('=', 2);
            if (!parts[0].StartsWith("--", StringComparison.Ordinal) || parts[0].Length == 2)
            {
                throw new CommandException(CommandExit.Usage,
                    $"{PlaceOf(member)}.options: '{option}' is no option. Write each with its value, as in \"--segment-size=16MiB\".");
            }

            yield return new($"AMBROSIA_{parts[0][2..].ToUpperInvariant().Replace('-', '_')}", parts.Length > 1 ? parts[1] : "true");
        }
    }

    private static readonly string s_rule =
        $"write at most {LongestName} small letters, digits and '-', with a letter first and no '-' at the end, and no word that YAML "
            + "reads otherwise, such as 'true'.";

    private static bool IsLabel(string name) => name.Length is > 0 and <= LongestName && char.IsAsciiLetterLower(name[0])
        && name[^1] != '-' && !s_words.Contains(name)
        && name.All(static c => char.IsAsciiLetterLower(c) || char.IsAsciiDigit(c) || c == '-');
}
