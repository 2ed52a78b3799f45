using System.Text.Json;
using Spectre.Console;

namespace Ambrosia.Cli.Output;

/// <summary>Where results go: tables with colours for people at a terminal, plain aligned text when piped, JSON when asked.</summary>
/// <param name="output">Where results go.</param>
/// <param name="error">Where failures go.</param>
/// <param name="input">What is typed.</param>
/// <param name="isTerminal">Whether a person is there.</param>
/// <param name="noColours">Whether that person wants no colours (NO_COLOR).</param>
/// <param name="isLossy">Whether results that cannot be written are left out.</param>
internal sealed class Terminal(
    TextWriter output, TextWriter error, TextReader input, bool isTerminal, bool noColours = false, bool isLossy = false)
{
    private static readonly JsonSerializerOptions s_json = new()
        { WriteIndented = true, PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    private static readonly JsonSerializerOptions s_line = new() { PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    /// <summary>True if a person is there to answer a question.</summary>
    public bool IsInteractive => isTerminal;

    /// <summary>True if lines may be coloured.</summary>
    public bool HasColours => isTerminal && !noColours;

    public void Line(string text)
    {
        try
        {
            output.WriteLine(text);
        }
        catch (IOException) when (isLossy)
        {
            // The processes go on.
        }
    }

    public void Error(string text) => error.WriteLine(text);

    public void Json<T>(T value) => output.WriteLine(JsonSerializer.Serialize(value, s_json));

    /// <summary>One line of JSON: an answer in a conversation, or a row of a long list.</summary>
    public void JsonLine<T>(T value) => output.WriteLine(JsonSerializer.Serialize(value, s_line));

    /// <summary>The same, writing somewhere else, where nobody looks at it.</summary>
    public Terminal To(TextWriter elsewhere) => new(elsewhere, error, input, false);

    /// <summary>The same for work that goes on where nothing more can be written, as on a full disk.</summary>
    public Terminal Lossy() => new(output, error, input, isTerminal, noColours, isLossy: true);

    /// <summary>Clears the screen of a person.</summary>
    public void Clear()
    {
        if (isTerminal)
        {
            output.Write("\u001b[H\u001b[2J");
        }
    }

    /// <summary>Where results go, for texts that others write, such as help.</summary>
    public TextWriter Output => output;

    /// <summary>What is typed or piped in.</summary>
    public TextReader Input => input;

    /// <summary>What a person types after the question; null when there is nobody.</summary>
    public string? Ask(string question)
    {
        if (!isTerminal)
        {
            return null;
        }

        output.Write(question);
        return input.ReadLine();
    }

    /// <summary>Rows under headings.</summary>
    public void Table(string[] headings, IReadOnlyList<string[]> rows)
    {
        if (!isTerminal)
        {
            Plain([headings, .. rows]);
            return;
        }

        var table = new Table().Border(TableBorder.Rounded);
        foreach (string heading in headings)
        {
            table.AddColumn($"[bold]{Markup.Escape(heading)}[/]");
        }

        foreach (string[] row in rows)
        {
            table.AddRow([.. row.Select(static cell => new Markup(Markup.Escape(cell)))]);
        }

        try
        {
            AnsiConsole.Create(new AnsiConsoleSettings { Out = new AnsiConsoleOutput(output) }).Write(table);
        }
        catch (IOException) when (isLossy)
        {
            // As above.
        }
    }

    private void Plain(IReadOnlyList<string[]> rows)
    {
        // In one piece: others write here, too.
        int[] widths = [.. Enumerable.Range(0, rows[0].Length).Select(column => rows.Max(row => row[column].Length))];
        Line(string.Join(Environment.NewLine,
            rows.Select(row => string.Join("  ", row.Select((cell, column) => cell.PadRight(widths[column]))).TrimEnd())));
    }
}
