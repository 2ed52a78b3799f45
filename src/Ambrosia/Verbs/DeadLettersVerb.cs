using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Protocol;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia deadletters list|show|quarantine|redrive|drop|retry|dropped NAME</c></summary>
internal sealed class DeadLettersVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Option<bool> _force = new("--force")
    {
        Description = "Although a caller from outside may have been told what an earlier life of the app answered in the message "
            + "or behind it.",
    };

    private readonly Argument<string> _message = new("message") { Description = "Place of the message in the log, as in 17:3." };

    public Command Build() => new("deadletters", "Messages that killed or blocked an app: look at them, take them out, send them again.")
    {
        Verb("list", "Show what holds an instance up, and its dead letters.\n\nExample: ambrosia deadletters list bank", ListAsync,
            [_name]),
        Verb("show", "Show one dead letter with its arguments.\n\nExample: ambrosia deadletters show bank 17:3", ShowAsync,
            [_name, _message]),
        Verb(
            "quarantine",
            "Take a message that killed or blocks the app out of the log for good; its caller is answered with an error.\n\n"
                + "Example: ambrosia deadletters quarantine bank 17:3",
            DecideAsync, [_name, _message], _force),
        Verb("redrive", "Log a dead letter once more, as a new input.\n\nExample: ambrosia deadletters redrive bank 17:3", DecideAsync,
            [_name, _message]),
        Verb("drop", "Throw a dead letter away.\n\nExample: ambrosia deadletters drop bank 17:3", DecideAsync, [_name, _message]),
        new DroppedOutputsVerb(places, terminal, json).Build(),
        Verb("retry", "End a hold: let the app try again.\n\nExample: ambrosia deadletters retry bank", RetryAsync, [_name]),
    };

    private static Command Verb(
        string name, string help, Func<ParseResult, CancellationToken, Task<int>> action, Argument[] arguments, params Option[] options)
    {
        var command = new Command(name, help);
        foreach (Option option in options)
        {
            command.Options.Add(option);
        }

        foreach (Argument argument in arguments)
        {
            command.Arguments.Add(argument);
        }

        command.SetAction(action);
        return command;
    }

    private async Task<int> ListAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        DeadLettersStatus status = await AskAsync(parsed, admin => admin.DeadLettersAsync("", cancellationToken));
        if (parsed.GetValue(json))
        {
            terminal.Json(status);
            return (int)CommandExit.Done;
        }

        Line("on hold", status.Hold);
        Line("suspected", status.Hold.Length > 0 ? "" : status.Suspect);
        Line("stuck", status.Stuck.Length == 0 ? "" : $"{status.Stuck} {status.StuckAt}".TrimEnd());
        if (status.Letters.Count == 0)
        {
            terminal.Line($"{Name(parsed)} has no dead letters.");
        }
        else
        {
            terminal.Table(["MESSAGE", "FROM", "WHAT", "BYTES", "SINCE", "BY", "REASON"], [.. status.Letters.Select(Row)]);
        }

        return (int)CommandExit.Done;
    }

    private async Task<int> ShowAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string position = Position(parsed);
        DeadLetterStatus letter = (await AskAsync(parsed, admin => admin.DeadLettersAsync(position, cancellationToken))).Letters[0];
        if (parsed.GetValue(json))
        {
            terminal.Json(letter);
            return (int)CommandExit.Done;
        }

        terminal.Table(["WHAT", "VALUE"],
        [
            ["message", letter.Position],
            ["what", letter.What],
            ["from", letter.From],
            ["bytes", letter.Bytes.ToString(CultureInfo.InvariantCulture)],
            ["quarantined", $"{letter.DecidedAt:u} by {letter.By}"],
            ["reason", letter.Reason],
            ["arguments", Convert.ToHexString(Convert.FromBase64String(letter.Arguments)).ToLowerInvariant()],
        ]);
        return (int)CommandExit.Done;
    }

    private async Task<int> DecideAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string decision = $"{Position(parsed)}/{parsed.CommandResult.Command.Name}{(parsed.GetValue(_force) ? "?force=true" : "")}";
        return Say(parsed, await AskAsync(parsed, admin => admin.DecideAsync(decision, cancellationToken)));
    }

    private async Task<int> RetryAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        return Say(parsed, await AskAsync(parsed, admin => admin.DecideAsync("retry", cancellationToken)));
    }

    private static string[] Row(DeadLetterStatus letter) =>
        [letter.Position, letter.From, letter.What, letter.Bytes.ToString(CultureInfo.InvariantCulture),
            letter.DecidedAt.ToString("u", CultureInfo.InvariantCulture), letter.By, letter.Reason];

    private void Line(string what, string text)
    {
        if (text.Length > 0)
        {
            terminal.Line($"{what}: {text}");
        }
    }

    private int Say(ParseResult parsed, string said)
    {
        if (parsed.GetValue(json))
        {
            terminal.Json(new { instance = Name(parsed), said });
        }
        else
        {
            terminal.Line($"{Name(parsed)}: {said}");
        }

        return (int)CommandExit.Done;
    }

    private Task<T> AskAsync<T>(ParseResult parsed, Func<AdminClient, Task<T>> ask) =>
        places.AskAsync(parsed, Name(parsed), replica: null, ask);

    private string Name(ParseResult parsed) => parsed.GetValue(_name)!;

    private string Position(ParseResult parsed)
    {
        string text = parsed.GetValue(_message)!;
        return MessagePosition.TryParse(text, out MessagePosition position)
            ? position.ToString()
            : throw new CommandException(CommandExit.Usage, $"'{text}' is no place of a message; write it as in 17:3.");
    }
}
