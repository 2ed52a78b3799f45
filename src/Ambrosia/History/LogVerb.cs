using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.History.Tracing;
using Ambrosia.Cli.Output;
using Ambrosia.Cli.Verbs;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Text;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.Protocol;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Search;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.Cli.History;

/// <summary><c>ambrosia log show|verify|export</c></summary>
internal sealed class LogVerb(Places places, Terminal terminal, Option<bool> json, TimeProvider time) : IVerb
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(200);
    private readonly LogOptions _log = new(places);
    private readonly Option<string> _from = new("--from")
        { Description = "First position, as 17 or 17:3. Default: the oldest kept.", HelpName = "POSITION" };
    private readonly Option<string> _to = new("--to") { Description = "Last position. Default: the end.", HelpName = "POSITION" };
    private readonly Option<string> _sender = new("--sender") { Description = "Only messages of this instance.", HelpName = "NAME" };
    private readonly Option<string> _method = new("--method")
        { Description = "Only calls of this method and its replies.", HelpName = "NAME" };
    private readonly Option<string> _where = new("--where")
        { Description = "Only messages for which this holds, as in args.amount > 100.", HelpName = "CONDITION" };
    private readonly Option<int?> _last = new("--last") { Description = "Only the last N that match.", HelpName = "N" };
    private readonly Option<bool> _follow = new("--follow", "-f") { Description = "Wait for more, as they become durable." };
    private readonly Option<string> _format = new("--format")
        { Description = "json: one message a line; otlp-json: spans for OpenTelemetry, one request to a collector a line. Default: json.",
            HelpName = "FORMAT" };
    private readonly Option<string[]> _peers = new("--peer")
    {
        Description = "Folder of another instance's log, to find there what sent a message (export otlp-json), or what this log lacks "
            + "of what that one knows (verify). Logs beside this one, or in the same store, are found anyway.",
        HelpName = "FOLDER",
    };
    private readonly Option<FileInfo> _file = new("--output", "-o")
        { Description = "File to write; default: standard output.", HelpName = "FILE" };

    public Command Build()
    {
        Command show = Make("show",
            "Show the messages of a log: position, time, from whom, method, arguments.\n\nExample: ambrosia log show bank --method "
            + "Deposit --where 'args.amount > 100' --last 20", ShowAsync, _last, _follow);
        Command verify = Make(
            "verify",
            "Read a whole log and its checkpoints, check every checksum, and apply the rules of a start. "
            + "Ends with 65 when something is damaged or missing.\n\nExample: ambrosia log verify bank --log /backup/bank",
            VerifyAsync, _peers);
        Command export = Make("export",
            "Write the messages of a log as JSON, one line each.\n\nExample: ambrosia log export bank -o bank.jsonl", ExportAsync, _file,
            _format, _peers);
        _format.AcceptOnlyFromAmong("json", "otlp-json");
        return new Command("log", "Look into a log, a live one included. Nothing is written there.") { show, verify, export };
    }

    private Command Make(string name, string help, Func<ParseResult, CancellationToken, Task<int>> action, params Option[] further)
    {
        var command = new Command(name, help);
        _log.AddTo(command);
        Option[] filters = name == "verify" ? [] : [_from, _to, _sender, _method, _where];
        foreach (Option option in filters.Concat(further))
        {
            command.Options.Add(option);
        }

        command.SetAction(action);
        return command;
    }

    private async Task<int> ShowAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        MethodNames names = await _log.NamesAsync(parsed);
        int? last = parsed.GetValue(_last);
        var kept = new Queue<Action>();
        bool asJson = parsed.GetValue(json);
        await foreach (LoggedMessage message in MessagesAsync(parsed, log, names, cancellationToken, record => Show(record, Put, asJson)))
        {
            Put(() => Show(message, names, asJson));
        }

        foreach (Action show in kept)
        {
            show();
        }

        return (int)CommandExit.Done;

        void Put(Action show)
        {
            if (last is null)
            {
                show();
                return;
            }

            kept.Enqueue(show);
            if (kept.Count > last)
            {
                kept.Dequeue();
            }
        }
    }

    private void Show(LoggedRecord record, Action<Action> put, bool asJson)
    {
        foreach (string decision in record.Decisions)
        {
            put(() =>
            {
                if (asJson)
                {
                    terminal.JsonLine(new { position = record.Lsn.ToString(CultureInfo.InvariantCulture), time = record.Time, decision });
                }
                else
                {
                    terminal.Line($"{record.Lsn,-8} {record.Time:HH:mm:ss.fff}  {decision}");
                }
            });
        }
    }

    private void Show(LoggedMessage message, MethodNames names, bool asJson)
    {
        if (asJson)
        {
            terminal.JsonLine(Describe(message, names));
        }
        else
        {
            terminal.Line(MessageText.Line(message, names));
        }
    }

    private async Task<int> ExportAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        MethodNames names = await _log.NamesAsync(parsed);
        FileInfo? file = parsed.GetValue(_file);
        await using StreamWriter? writer = file is null ? null : new StreamWriter(file.FullName);
        Terminal output = writer is null ? terminal : terminal.To(writer);
        long count = 0;
        bool asSpans = parsed.GetValue(_format) == "otlp-json";
        var peers = new PeerLogs(places, parsed, _log, parsed.GetValue(_peers) ?? [], time);
        await peers.RequireNamedAsync();
        await using var logs = new PageLogs(peers.OpenMainAsync, peers.Names, peers.OpenAsync);
        var causes = new MessageCauses(logs);
        var spans = new OtlpWriter(output.Output, names);
        await foreach (LoggedMessage message in MessagesAsync(parsed, log, names, cancellationToken))
        {
            if (asSpans)
            {
                var at = new MessagePosition(message.Position.Lsn, message.Position.Index);
                spans.Add(log.Instance, message, await causes.SpanOfAsync(log.Instance, at, cancellationToken));
            }
            else
            {
                output.JsonLine(Describe(message, names));
            }

            count++;
        }

        spans.Flush();
        if (file is not null)
        {
            terminal.Line($"{Counted.Of(count, "message")} written to {file.FullName}");
        }

        return (int)CommandExit.Done;
    }

    private async Task<int> VerifyAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        ReplayLog log;
        var peers = new PeerLogs(places, parsed, _log, parsed.GetValue(_peers) ?? [], time);
        await peers.RequireNamedAsync();
        try
        {
            log = await _log.OpenAsync(parsed);
        }
        catch (LogStoreException damage) when (Damage.Is(damage))
        {
            return ReportClosed(parsed, damage.Message);
        }

        await using (log)
        {
            var found = new LogVerification(log);
            await found.ExamineAsync();
            await found.ReadRecordsAsync(cancellationToken);
            await found.ReadCheckpointsAsync();
            await found.CompareAsync(peers.OpenLogAsync);
            return Report(parsed, log, found);
        }
    }

    private int Report(ParseResult parsed, ReplayLog log, LogVerification found)
    {
        if (parsed.GetValue(json))
        {
            terminal.Json(new
            {
                log.Instance, log.Location, oldestLsn = found.First, lastLsn = found.Last, found.Records, found.Messages, found.Checkpoints,
                comparedWith = found.Peers, found.Damage,
            });
        }
        else
        {
            string verdict = found.Damage.Count == 0 ? "all intact" : "DAMAGED";
            string peers = found.Peers.Count == 0 ? "" : $", compared with {string.Join(", ", found.Peers)}";
            terminal.Line(string.Create(CultureInfo.InvariantCulture,
                $"{log.Instance}: {Counted.Of(found.Records, "record")}, {found.First} to {found.Last}, "
                + $"{Counted.Of(found.Messages, "message")}, {Counted.Of(found.Checkpoints, "checkpoint")}{peers}: {verdict}"));
            found.Damage.ToList().ForEach(terminal.Error);
        }

        return (int)(found.Damage.Count == 0 ? CommandExit.Done : CommandExit.Different);
    }

    /// <summary>For a log that is too damaged to be opened.</summary>
    private int ReportClosed(ParseResult parsed, string damage)
    {
        if (parsed.GetValue(json))
        {
            terminal.Json(new { Instance = _log.Instance(parsed), damage = new[] { damage } });
        }
        else
        {
            terminal.Line($"{_log.Instance(parsed)}: DAMAGED");
            terminal.Error(damage);
        }

        return (int)CommandExit.Different;
    }

    private async IAsyncEnumerable<LoggedMessage> MessagesAsync(
        ParseResult parsed, ReplayLog log, MethodNames names,
        [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellationToken, Action<LoggedRecord>? tell = null)
    {
        Position from = Read(parsed, _from) ?? new Position(log.OldestLsn, 0);
        Position to = Read(parsed, _to) ?? Position.After(ulong.MaxValue);
        Condition? where = parsed.GetValue(_where) is { Length: > 0 } text ? ParseCondition(text, names) : null;
        if (where is { NeedsState: true })
        {
            throw new CommandException(CommandExit.Usage, "A log holds messages, not states: 'ambrosia debug' can stop at a state.");
        }

        string? sender = parsed.GetValue(_sender);
        string? method = parsed.GetValue(_method);
        ulong lsn = from.Lsn;
        while (!cancellationToken.IsCancellationRequested && lsn <= to.Lsn)
        {
            if (await log.ReadAsync(lsn) is not { } record)
            {
                if (!parsed.GetValue(_follow) || !await WaitAsync(cancellationToken))
                {
                    yield break;
                }

                continue;
            }

            if (sender is null && method is null && where is null)
            {
                tell?.Invoke(record);
            }

            for (int i = 0; i < record.Count; i++)
            {
                LoggedMessage message = record[i];
                if ((lsn > from.Lsn || i >= from.Index || from.Index == Position.WholeRecord) && message.Position <= to
                    && (sender is null || message.From == sender)
                    && (method is null || names.IsNamed(message.MethodId, method)) && (where?.Holds(message) ?? true))
                {
                    yield return message;
                }
            }

            lsn++;
        }
    }

    private static Condition ParseCondition(string text, MethodNames names)
    {
        try
        {
            return Condition.Parse(text, names);
        }
        catch (ReplayException wrong)
        {
            throw new CommandException(CommandExit.Usage, wrong.Message);
        }
    }

    private async Task<bool> WaitAsync(CancellationToken cancellationToken)
    {
        try
        {
            await Task.Delay(s_look, time, cancellationToken);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
    }

    private static Position? Read(ParseResult parsed, Option<string> option) => parsed.GetValue(option) is not { Length: > 0 } text ? null
        : Position.TryParse(text, out Position position) ? position
        : throw new CommandException(CommandExit.Usage, $"{option.Name} {text}: write a record as 17 or a message as 17:3.");

    private static object Describe(LoggedMessage message, MethodNames names) => new
    {
        position = message.Position.ToString(), time = message.Time, message.From, kind = message.Kind.Word(),
        method = names.NameOf(message.MethodId, message.Body), message.MethodId,
        arguments = MessagePackText.ToJson(message.Body),
    };
}
