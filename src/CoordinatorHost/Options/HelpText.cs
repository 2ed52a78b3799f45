using System.Text;

namespace Ambrosia.CoordinatorHost.Options;

/// <summary>What <c>--help</c> prints.</summary>
public static class HelpText
{
    private const int Indent = 30;
    private const int Width = 110;

    public static string Render()
    {
        var text = new StringBuilder();
        text.AppendLine("Ambrosia's immortal coordinator: keeps one app alive through its log.");
        text.AppendLine();
        text.AppendLine("  Ambrosia.ImmortalCoordinator --instance-name bank");
        text.AppendLine("  Ambrosia.ImmortalCoordinator --instance-name bank --store file:/var/lib/bank --admin 127.0.0.1:8080");
        text.AppendLine("  Ambrosia.ImmortalCoordinator --instance-name bank --receive-port 2000 --send-port 2001   (binding of the "
            + "published protocol)");
        foreach (var group in OptionDefinitions.All.GroupBy(static option => option.Group))
        {
            text.AppendLine().AppendLine(group.Key);
            foreach (OptionDefinition option in group)
            {
                Append(text, $"--{option.Name} {option.Value}", option.Help + DefaultOf(option));
            }
        }

        text.AppendLine().AppendLine("General");
        Append(text, "--config FILE", "JSON file with the options' names as keys, or a section \"Ambrosia\" with them.");
        Append(text, "--print-config", "Print each option with its value and origin, and end.");
        Append(text, "--print-admin-token", "Print what requests at the admin address must show, and end.");
        Append(text, "--version", "Print the version, and end.");
        Append(text, "--help", "Print this, and end.");
        text.AppendLine().AppendLine(
            "Every option can come from the environment (--max-lag as AMBROSIA_MAX_LAG, --binding-socket as AMBROSIA_SOCKET)");
        text.AppendLine("or from the file; the command line wins over the environment, the environment over the file.");
        return text.ToString();
    }

    /// <summary>The default, for options that have a fixed one.</summary>
    internal static string DefaultOf(OptionDefinition option) =>
        option.Help.Contains("Default:", StringComparison.Ordinal) || option.Help.Contains("Required", StringComparison.Ordinal)
        || option.IsSwitch
            ? ""
            : $" Default: {option.Show(new CoordinatorOptions())}.";

    private static void Append(StringBuilder text, string name, string help)
    {
        text.Append("  ").Append(name.TrimEnd().PadRight(Indent - 2));
        if (name.TrimEnd().Length > Indent - 3)
        {
            text.AppendLine().Append(' ', Indent); // A long name has a line of its own.
        }

        int column = Indent;
        foreach (string word in help.Split(' '))
        {
            if (column + word.Length > Width)
            {
                text.AppendLine().Append(' ', Indent);
                column = Indent;
            }

            text.Append(word).Append(' ');
            column += word.Length + 1;
        }

        text.Length--;
        text.AppendLine();
    }
}
