using System.CommandLine;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;
using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Comparing;
using Ambrosia.TimeTravel.Link;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.Cli.History;

/// <summary>What <c>retest</c> and <c>verify</c> have in common: from where to where, the run, the report.</summary>
internal sealed class Comparison(Places places, Terminal terminal, Option<bool> json, TimeProvider time)
{
    private const int MostRecoveries = 5; // Each costs the start of a process.
    private readonly LogOptions _log = new(places);
    private readonly Argument<string[]> _program = new("program")
        { Description = "The app and its arguments, after --.", Arity = ArgumentArity.OneOrMore };
    private readonly Option<ulong?> _from = new("--from") { Description =
        "Begin at the checkpoint with this LSN; 0 begins with the first record. Default: the oldest that is kept.", HelpName = "LSN" };
    private readonly Option<string> _to = new("--to")
        { Description = "Last record (17) or message (17:3). Default: the end of the log.", HelpName = "POSITION" };
    private readonly Option<bool> _first = new("--first") { Description = "End at the first difference." };
    private readonly Option<int> _show = new("--show")
        { Description = "Differences to describe; all are counted.", HelpName = "N", DefaultValueFactory = static _ => 10 };
    private readonly Option<bool> _noStates = new("--no-states") { Description = "Compare outputs only." };
    private readonly Option<string> _junit = new("--junit") { Description = "Also write a JUnit file, for pipelines.", HelpName = "FILE" };
    private readonly Option<bool> _busy = new("--normal-priority") { Description = "Do not run at idle priority." };

    private Option<bool>? _upgrade;

    /// <summary>Offers to convert the state first.</summary>
    public void AddUpgradeTo(Command command)
    {
        _upgrade = new Option<bool>("--upgrade")
            { Description = "Convert the state first, by the new program's UpgradeFrom: what would have been if it had been upgraded "
            + "there. States are not compared then." };
        command.Options.Add(_upgrade);
    }

    /// <summary>Puts arguments and options on a command.</summary>
    public void AddTo(Command command)
    {
        _log.AddTo(command);
        foreach (Option option in new Option[] { _from, _to, _first, _show, _noStates, _junit, _busy })
        {
            command.Options.Add(option);
        }

        command.Arguments.Add(_program);
    }

    /// <summary>Runs and reports.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="against">Program of the version to compare with; null for the log itself; empty for the same program.</param>
    /// <param name="same">What to say when nothing differs.</param>
    /// <param name="cancellationToken">Ends the run; what was run is reported.</param>
    /// <returns>0 when nothing differs, 65 when something does.</returns>
    public async Task<int> RunAsync(ParseResult parsed, IReadOnlyList<string>? against, string same, CancellationToken cancellationToken)
    {
        if (!parsed.GetValue(_busy))
        {
            IdlePriority.Apply();
        }

        string[] program = parsed.GetValue(_program)!;
        bool itself = against is { Count: 0 };
        IReadOnlyList<string>? other = itself ? program : against;
        await using ReplayLog log = await _log.OpenAsync(parsed, holds: true);
        MethodNames names = await _log.NamesAsync(parsed, program);
        names.AddCommand(other ?? []);
        await using var app = new ProcessApp(program, log.Instance, line => terminal.Error($"new | {line}"), time);
        await using ProcessApp? old = other is null ? null
            : new ProcessApp(other, log.Instance, line => terminal.Error($"old | {line}"), time);
        try
        {
            RetroactiveReport report = await RetroactiveRun.RunAsync(log, app, old, Options(parsed) with
                { Recoveries = itself ? MostRecoveries : 0 }, names, cancellationToken);
            await TellAsync(parsed, report, names, same);
            return (int)(report.IsSame ? CommandExit.Done : CommandExit.Different);
        }
        catch (ReplayException failure)
        {
            throw new CommandException(CommandExit.Failed, failure.Message);
        }
    }

    private RetroactiveOptions Options(ParseResult parsed)
    {
        Position? to = null;
        if (parsed.GetValue(_to) is { Length: > 0 } text)
        {
            to = Position.TryParse(text, out Position position) ? position
                : throw new CommandException(CommandExit.Usage, $"--to {text}: write a record as 17 or a message as 17:3.");
        }

        return new RetroactiveOptions
        {
            From = parsed.GetValue(_from), To = to, StopAtFirst = parsed.GetValue(_first),
                MaxDescribed = Math.Max(1, parsed.GetValue(_show)),
            CompareStates = !parsed.GetValue(_noStates), Time = time, Upgrade = _upgrade is not null && parsed.GetValue(_upgrade),
        };
    }

    private async Task TellAsync(ParseResult parsed, RetroactiveReport report, MethodNames names, string same)
    {
        if (parsed.GetValue(_junit) is { Length: > 0 } file)
        {
            await File.WriteAllTextAsync(file, ReportText.JUnit(report, names), CancellationToken.None);
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(ReportText.Data(report, names));
        }
        else
        {
            terminal.Line(ReportText.People(report, names, same));
        }
    }
}
