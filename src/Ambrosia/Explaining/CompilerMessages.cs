using System.Text.RegularExpressions;

namespace Ambrosia.Cli.Explaining;

/// <summary>
/// The compiler's codes. They belong to the analyzers; the page of these comes with the command, and its tables are read.
/// </summary>
internal static partial class CompilerMessages
{
    /// <summary>By number.</summary>
    public static IReadOnlyList<CompilerMessage> All { get; } = [.. Read().OrderBy(static message => message.Code, StringComparer.Ordinal)];

    /// <summary>The one of this code, in large or small letters. Null if there is none.</summary>
    public static CompilerMessage? Find(string code) =>
        All.FirstOrDefault(message => message.Code.Equals(code, StringComparison.OrdinalIgnoreCase));

    private static IEnumerable<CompilerMessage> Read()
    {
        using Stream page = typeof(CompilerMessages).Assembly.GetManifestResourceStream("analyzers.md")!;
        using var reader = new StreamReader(page);
        return [.. Row().Matches(reader.ReadToEnd()).Select(static row => new CompilerMessage(
            row.Groups["code"].Value, row.Groups["severity"].Value, PlainText.Of(row.Groups["meaning"].Value),
            PlainText.Of(row.Groups["advice"].Value)))];
    }

    // A bar inside of code is written \|.
    [GeneratedRegex(@"^\| <a id=""amb\d{3}""></a>(?<code>AMB\d{3}) \| (?<severity>\w+) \| (?<meaning>(?:\\\||[^|])+) \| (?<advice>(?:\\\||[^|])+) \|", RegexOptions.Multiline)]
    private static partial Regex Row();
}
