using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Explaining;

/// <summary>
/// <c>ambrosia explain IC-2033</c>: what a code means, what is safe and what to do, from the catalogue that the messages are made of.
/// </summary>
internal sealed class ExplainVerb(Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string?> _code = new("code")
    {
        Description = "Such as IC-2033, ic-2033 or 2033; a number of two digits is an exit code; AMB025 is one of the compiler's. "
            + "Default: list all.",
        Arity = ArgumentArity.ZeroOrOne,
        HelpName = "code", // Help lists all completions otherwise.
    };

    private readonly Option<bool> _markdown = new("--markdown") { Description = "Print the page docs/operate/errors.md." };

    public Command Build()
    {
        _code.CompletionSources.Add(static _ =>
            ErrorCatalogue.All.Select(static code => code.Id).Concat(CompilerMessages.All.Select(static message => message.Code)));
        var command = new Command(
            "explain", "Say of an error's code what it means, what is safe and what to do; or list all codes.\n\nExample: ambrosia "
            + "explain IC-2033")
        {
            _code, _markdown,
        };
        command.SetAction(Run);
        return command;
    }

    private int Run(ParseResult parsed)
    {
        string? text = parsed.GetValue(_code)?.Trim();
        if (parsed.GetValue(_markdown))
        {
            return text is null ? Done(() => terminal.Output.Write(ErrorsPage.Write()))
                : throw new CommandException(CommandExit.Usage, "--markdown prints the page of all codes: name none with it.");
        }

        bool asJson = parsed.GetValue(json);
        return text switch
        {
            null or "" when asJson => Done(() => terminal.Json(ErrorCatalogue.All.Select(ExplainedCode.Of))),
            null or "" => Done(List),
            _ when ErrorCatalogue.Find(text) is { } code => Done(() => Explain(code, asJson)),
            _ when CompilerMessages.Find(text) is { } message => Done(() => Explain(message, asJson)),
            _ when ExitCodeOf(text) is { } exit => Done(() => Explain(exit, asJson)),
            _ => throw new CommandException(CommandExit.NotFound, Unknown(text)),
        };
    }

    private static int Done(Action print)
    {
        print();
        return (int)CommandExit.Done;
    }

    private void List()
    {
        foreach (ErrorGroup group in ErrorCatalogue.Groups)
        {
            terminal.Line(group.Heading);
            terminal.Table(["CODE", "EXIT", "WHAT"],
                [.. group.Codes.Select(static code => (string[])[code.Id, NumberOf(code.ExitCode) ?? "-", code.Title])]);
            terminal.Line("");
        }

        terminal.Line($"{CompilerMessages.All[0].Code} to {CompilerMessages.All[^1].Code}: what the compiler says of immortals");
        terminal.Line("'ambrosia explain CODE' says what is safe and what to do. EXIT is how a coordinator ends; '-': none ends "
            + "because of it.");
    }

    private void Explain(ErrorCode code, bool asJson)
    {
        if (asJson)
        {
            terminal.Json(ExplainedCode.Of(code));
            return;
        }

        terminal.Line($"{code}: {code.Title}");
        terminal.Line("");
        Say("Meaning", code.Meaning);
        Say("Safe", code.Safe);
        Say("Do", code.Advice);
        Say("Exit code", code switch
        {
            { ExitCode: { } exit } => Ending(exit),
            { ExitCodeIfFatal: not ExitCode.Internal and var rare } => $"none, the process goes on; {NumberOf(rare)} ({rare}) if it cannot",
            _ => "none: no coordinator ends because of it",
        });
    }

    private void Explain(CompilerMessage message, bool asJson)
    {
        if (asJson)
        {
            terminal.Json(message);
            return;
        }

        terminal.Line($"{message.Code}: {message.Severity} of the compiler");
        terminal.Line("");
        Say("Meaning", message.Meaning);
        Say("Do", message.Advice);
        Say("Page", $"docs/guide/analyzers.md#{message.Code.ToLowerInvariant()}");
    }

    private void Explain(ExitCodeMeaning exit, bool asJson)
    {
        ErrorCode[] leading = [.. ErrorCatalogue.All.Where(code => code.ExitCode == exit.Code)];
        if (asJson)
        {
            terminal.Json(new { ExitCode = (int)exit.Code, Name = exit.Code.ToString(), exit.Meaning, exit.Restart,
                Codes = leading.Select(static code => code.Id) });
            return;
        }

        terminal.Line($"Exit code {NumberOf(exit.Code)} of a coordinator: {exit.Code}");
        terminal.Line("");
        Say("Meaning", exit.Meaning);
        Say("Restart", exit.Restart);
        if (leading.Length > 0)
        {
            Say("Codes", string.Join(", ", leading.Select(static code => code.Id)) + ": the last lines of its log name one");
        }
    }

    private void Say(string label, string text)
    {
        foreach (string line in PlainText.Wrapped(PlainText.Of(text), 88))
        {
            terminal.Line($"{label,-11}{line}");
            label = "";
        }
    }

    private static string Ending(ExitCode exit) => $"{NumberOf(exit)} ({exit}); restart without a person: {ExitCodes.Of(exit).Restart}";

    private static string? NumberOf(ExitCode? exit) => exit is { } code ? ((int)code).ToString(CultureInfo.InvariantCulture) : null;

    private static ExitCodeMeaning? ExitCodeOf(string text) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
        ? ExitCodes.All.FirstOrDefault(each => (int)each.Code == number) : null;

    private static string Unknown(string text)
    {
        if (byte.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out byte ending))
        {
            return $"A coordinator never ends with {ending}. What apps end with stands in docs/guide/csharp.md#exit-codes.";
        }

        ErrorCode[] near = [.. NearCodes.Of(text)];
        return $"There is no code '{text}'."
            + (near.Length == 0 ? "" : $" Near it are {string.Join(", ", near.Select(static code => $"{code} ({code.Title})"))}.")
            + " 'ambrosia explain' lists all.";
    }
}
