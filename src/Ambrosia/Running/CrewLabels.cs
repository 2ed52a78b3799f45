using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Running;

/// <summary>How the lines of members begin: names of one width, each in a colour of its own where a person looks.</summary>
internal sealed class CrewLabels(IReadOnlyCollection<string> names, Terminal terminal)
{
    private const string CoordinatorOf = " coordinator";
    private static readonly int[] s_colours = [36, 33, 32, 35, 34, 31, 96, 93, 92, 95, 94, 91];
    private readonly string[] _names = [.. names];
    private readonly int _width = names.Max(static name => name.Length) + CoordinatorOf.Length;

    /// <summary>For lines of its app.</summary>
    public string App(string name) => Coloured(name, name.PadRight(_width));

    /// <summary>For lines of its coordinator.</summary>
    public string Coordinator(string name) => Coloured(name, (name + CoordinatorOf).PadRight(_width));

    private string Coloured(string name, string text) =>
        terminal.HasColours ? $"\u001b[{s_colours[Array.IndexOf(_names, name) % s_colours.Length]}m{text}\u001b[0m" : text;
}
