using System.Globalization;
using System.Text;

namespace Ambrosia.Cli.Explaining;

/// <summary>docs/operate/errors.md, made from the catalogue by packaging/write-errors-page.sh.</summary>
internal static class ErrorsPage
{
    private const string Head = """
        # Errors

        Whatever stops a coordinator, or makes it refuse somebody, is one line:

        ```
        IC-nnnn what happened | where (file and offset, address, peer, option) | what is safe | what to do
        ```

        `ambrosia explain IC-2033` prints what this page says of a code; `ambrosia explain 42` does so for an exit code, and `ambrosia explain` lists all codes.
        They are stable: a number is never reused for something else. With `--log-format json` the code is the field `Code` of event 1002. Stack traces appear only
        with `--log-level debug`.

        """;

    private const string ExitHead = """
        ## Exit codes

        An orchestrator can act on the exit code alone: *restart* where the last column says so, otherwise call a person.

        """;

    private const string ExitTail = """

        After a signal that comes again half a second or more later the process ends at once with 128 + the signal's number (143 for SIGTERM). A process that is
        killed, or that ends at once like this, loses nothing that it had acknowledged: starting is always recovering.

        """;

    private const string Tail = """
        ## AMB: the compiler's messages

        The generator and the analyzers come with the binding. Their messages, AMB001 to AMB127, have a page of their own: [analyzers.md](../guide/analyzers.md).

        """;

    /// <summary>The whole page.</summary>
    public static string Write()
    {
        var page = new StringBuilder();
        page.Append(Head).Append('\n').Append(ExitHead).Append('\n');
        page.Append("| exit code | name | meaning | restart |\n|---|---|---|---|\n");
        foreach (ExitCodeMeaning exit in ExitCodes.All)
        {
            page.Append(CultureInfo.InvariantCulture, $"| {(int)exit.Code} | {exit.Code} | {exit.Meaning} | {exit.Restart} |\n");
        }

        page.Append(ExitTail);
        foreach (ErrorGroup group in ErrorCatalogue.Groups)
        {
            Append(page, group);
        }

        return page.Append('\n').Append(Tail).ToString();
    }

    private static void Append(StringBuilder page, ErrorGroup group)
    {
        page.Append(CultureInfo.InvariantCulture, $"\n## {group.Heading}\n\n");
        if (group.Note.Length > 0)
        {
            page.Append(group.Note).Append("\n\n");
        }

        page.Append("| code | exit | meaning | what is safe | what to do |\n|---|---|---|---|---|\n");
        foreach (ErrorCode code in group.Codes)
        {
            string exit = code.ExitCode is { } ends ? ((int)ends).ToString(CultureInfo.InvariantCulture) : "–";
            string id = code.Id.ToLowerInvariant();
            page.Append(
                CultureInfo.InvariantCulture,
                $"| {code} | {exit} | <a id=\"{id}\"></a>**{char.ToUpperInvariant(code.Title[0])}{code.Title[1..]}.** {code.Meaning} | "
                + $"{code.Safe} | {code.Advice} |\n");
        }
    }
}
