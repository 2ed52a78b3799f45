using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;
using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.Cli.History;

/// <summary><c>ambrosia debug INSTANCE -- PROGRAM ARGUMENTS...</c></summary>
internal sealed class DebugVerb(Places places, Terminal terminal, Option<bool> json, TextReader input, TimeProvider time) : IVerb
{
    private readonly LogOptions _log = new(places);
    private readonly Argument<string[]> _program = new("program")
        { Description = "The app and its arguments, after --.", Arity = ArgumentArity.ZeroOrMore };
    private readonly Option<ulong?> _checkpoint = new("--checkpoint") { Description =
        "Begin at the checkpoint with this LSN; 0 begins with the first record. Default: the oldest that is kept.", HelpName = "LSN" };
    private readonly Option<string> _until = new("--until")
        { Description = "Go there first: a position (17 or 17:3), a time, a method, or a condition.", HelpName = "WHERE" };
    private readonly Option<string> _script = new("--script")
        { Description = "Read commands from this file instead of the terminal.", HelpName = "FILE" };
    private readonly Option<bool> _wait = new("--wait-for-debugger")
        { Description = "The app waits until a debugger is attached before its first message." };
    private readonly WebOptions _web = new(places, terminal, time);
    private readonly Option<bool> _busy = new("--normal-priority") { Description = "Do not run at idle priority." };

    public Command Build()
    {
        var command = new Command("debug", """
            Go back in time: replays the log of an instance, a live one included, into the app given, step by step, forwards and backwards. Nothing is written, locked or sent.

            Example: ambrosia debug bank --until 'method == "Deposit" and args.amount > 1000' -- dotnet Bank.dll
            The same in a browser: ambrosia debug bank --web -- dotnet Bank.dll
            """);
        _log.AddTo(command);
        _web.AddTo(command);
        foreach (Option option in new Option[] { _checkpoint, _until, _script, _wait, _busy })
        {
            command.Options.Add(option);
        }

        command.Arguments.Add(_program);
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        if (!parsed.GetValue(_busy))
        {
            IdlePriority.Apply();
        }

        string[] program = parsed.GetValue(_program)!;
        if (program.Length == 0 && !_web.IsWanted(parsed))
        {
            throw new CommandException(CommandExit.Usage,
                "The app and its arguments are missing: write them after --. Only --web does without.");
        }

        MethodNames names = await _log.NamesAsync(parsed, program);
        if (program.Length == 0)
        {
            return await _web.ServeAsync(parsed, _log, names, null, cancellationToken);
        }

        await using ReplayLog log = await _log.OpenAsync(parsed, holds: true);
        Dictionary<string, string> environment = parsed.GetValue(_wait) ? new() { ["AMBROSIA_WAIT_FOR_DEBUGGER"] = "true" } : [];
        await using var app = new ProcessApp(program, log.Instance, line => terminal.Error($"app | {line}"), time, environment)
        {
            Started = id => terminal.Error(parsed.GetValue(_wait)
                ? $"The app is process {id} and waits for a debugger: attach one now."
                : $"The app is process {id}; a debugger may be attached to it at any time."),
        };
        if (parsed.GetValue(_wait))
        {
            app.Patience = TimeSpan.FromDays(1);
        }

        try
        {
            await using TimeTraveler traveler = await TimeTraveler.OpenAsync(log, app, new TravelOptions
                { Checkpoint = parsed.GetValue(_checkpoint), Time = time }, cancellationToken);
            var commands = new DebugCommands(traveler, names);
            return _web.IsWanted(parsed)
                ? await ShowAsync(parsed, names, traveler, commands, cancellationToken)
                : await ConverseAsync(parsed, commands, cancellationToken);
        }
        catch (ReplayException failure)
        {
            throw new CommandException(CommandExit.Failed, failure.Message);
        }
    }

    private async Task<int> ShowAsync(ParseResult parsed, MethodNames names, TimeTraveler traveler, DebugCommands commands,
        CancellationToken cancellationToken)
    {
        if (parsed.GetValue(_until) is { Length: > 0 } until)
        {
            Say(parsed, await commands.RunAsync("until " + until, cancellationToken));
        }

        using var session = new WebSession(traveler, commands, names);
        return await _web.ServeAsync(parsed, _log, names, session, cancellationToken);
    }

    private async Task<int> ConverseAsync(ParseResult parsed, DebugCommands commands, CancellationToken cancellationToken)
    {
        Say(parsed, await commands.RunAsync("where", cancellationToken));
        bool failed = false;
        if (parsed.GetValue(_until) is { Length: > 0 } until)
        {
            DebugAnswer arrival = await commands.RunAsync("until " + until, cancellationToken);
            failed = arrival.Failed;
            Say(parsed, arrival);
        }

        string? script = parsed.GetValue(_script);
        using TextReader? file = script is null ? null : new StreamReader(script);
        while (ReadCommand(file) is { } line && line.Trim() is not ("quit" or "q" or "exit"))
        {
            if (line.Trim().Length == 0 || line.TrimStart().StartsWith('#'))
            {
                continue;
            }

            DebugAnswer answer = await commands.RunAsync(line, cancellationToken);
            failed |= answer.Failed;
            Say(parsed, answer);
        }

        // A script that could not do what it was told must not look as if it had.
        return (int)(failed && (file is not null || !terminal.IsInteractive) ? CommandExit.Failed : CommandExit.Done);
    }

    private string? ReadCommand(TextReader? file)
    {
        if (file is not null)
        {
            return file.ReadLine();
        }

        return terminal.IsInteractive ? terminal.Ask("(ambrosia) ") : input.ReadLine();
    }

    private void Say(ParseResult parsed, DebugAnswer answer)
    {
        if (parsed.GetValue(json))
        {
            terminal.JsonLine(answer);
        }
        else if (answer.Failed)
        {
            terminal.Error(answer.Text);
        }
        else
        {
            terminal.Line(answer.Text);
        }
    }
}
