using System.Globalization;
using System.Text;
using System.Text.Json;
using Ambrosia.Inspection.Text;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Search;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.Cli.History;

/// <summary>The commands of the debugger: a line in, an answer out.</summary>
internal sealed class DebugCommands(TimeTraveler traveler, MethodNames names)
{
    private const string Help = """
        step [N]          execute the next message, or the next N
        next METHOD       run to the next message of a method; stops before it
        from SENDER       run to the next message from an instance
        until WHERE       run to a position (17 or 17:3), a time, a method or a condition, such as
                          args.amount > 100 and from == "teller", or state.accounts.alice < 0
        back [N]          undo the last message, or the last N
        goto POSITION     go after a message (17:3) or a record (17), forwards or backwards
        end               run to the end of the log
        state [PATH]      the state as JSON, or a part of it: state accounts.alice
        diff              what the last message changed in the state
        outputs           what the last message made the app send
        hash              hash of the state, to compare with the live instance's
        where             where we are, and what comes next
        checkpoints       checkpoints of the log
        quit
        An empty line does nothing; # begins a comment. Positions mean: after that message.
        """;

    /// <summary>Carries out one command.</summary>
    public async Task<DebugAnswer> RunAsync(string line, CancellationToken cancellationToken)
    {
        string[] words = line.Trim().Split(' ', 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        string rest = words.Length > 1 ? words[1] : "";
        try
        {
            return words[0] switch
            {
                "help" or "?" or "h" => new DebugAnswer("help", Help, null),
                "where" or "w" => await WhereAsync(line),
                "step" or "s" => await StepAsync(line, Number(rest), cancellationToken),
                "back" or "b" => await BackAsync(line, Number(rest), cancellationToken),
                "next" or "n" => await RunToAsync(line, message =>
                    names.IsNamed(message.MethodId, rest), $"no further message of {rest}", cancellationToken),
                "from" => await RunToAsync(line, message => message.From == rest, $"no further message from {rest}", cancellationToken),
                "until" or "u" => await UntilAsync(line, Unquote(rest), cancellationToken),
                "goto" or "g" => await GoToAsync(line, rest, cancellationToken),
                "end" => await RunToAsync(line, static _ => false, null, cancellationToken),
                "state" => await StateAsync(line, rest),
                "diff" => await DiffAsync(line, cancellationToken),
                "outputs" or "o" => await OutputsAsync(line, cancellationToken),
                "hash" => await HashAsync(line),
                "checkpoints" => new DebugAnswer(line, string.Join("\n", traveler.Log.Checkpoints.Order()),
                    traveler.Log.Checkpoints.Order()),
                _ => new DebugAnswer(line, $"'{words[0]}' is not a command; help lists them.", null, Failed: true),
            };
        }
        catch (ReplayException error)
        {
            return new DebugAnswer(line, error.Message, null, Failed: true);
        }
    }

    private static long Number(string text) => text.Length == 0 ? 1
        : long.TryParse(text.Replace(",", "", StringComparison.Ordinal), NumberStyles.None, CultureInfo.InvariantCulture, out long number)
        && number > 0 ? number
        : throw new ReplayException($"'{text}' is not a number of messages.");

    // People quote a condition as a whole in a shell.
    private static string Unquote(string text) => text.Length > 1 && text[0] == '\'' && text[^1] == '\'' ? text[1..^1] : text;

    private async Task<DebugAnswer> WhereAsync(string line, string? remark = null)
    {
        LoggedMessage? next = await traveler.PeekAsync();
        var text = new StringBuilder();
        text.Append(remark is null ? "" : remark + "\n");
        text.Append(CultureInfo.InvariantCulture,
            $"at {(traveler.At == traveler.Start ? $"checkpoint {traveler.At}" : traveler.At)} of {traveler.Log.Instance}\n");
        text.Append(next is { } message ? $"next: {MessageText.Line(message, names)}" : "the log ends here");
        object data = new { at = traveler.At.ToString(), remark, next = next is { } come ? Describe(come) : null };
        return new DebugAnswer(line, text.ToString(), data);
    }

    private object Describe(LoggedMessage message) => new
    {
        position = message.Position.ToString(), time = message.Time, message.From, kind = message.Kind.Word(),
        method = names.NameOf(message.MethodId),
            arguments = MessagePackText.ToJson(message.Body),
    };

    private async Task<DebugAnswer> StepAsync(string line, long count, CancellationToken cancellationToken)
    {
        for (long i = 1; i < count && !cancellationToken.IsCancellationRequested; i++)
        {
            if (!await traveler.StepAsync())
            {
                return await WhereAsync(line, "the log ended before");
            }
        }

        return await traveler.StepAsync() ? await WhereAsync(line) : await WhereAsync(line, "there is nothing more to execute");
    }

    private async Task<DebugAnswer> BackAsync(string line, long count, CancellationToken cancellationToken) =>
        await WhereAsync(line, await traveler.BackAsync(count, cancellationToken) ? null
            : "this is the beginning; an earlier checkpoint may be chosen with --checkpoint");

    private async Task<DebugAnswer> RunToAsync(string line, Func<LoggedMessage, bool> stopAt, string? none,
        CancellationToken cancellationToken) =>
        await WhereAsync(line, await traveler.RunAsync(stopAt, cancellationToken) ? null : none);

    private async Task<DebugAnswer> GoToAsync(string line, string where, CancellationToken cancellationToken) =>
        Position.TryParse(where, out Position position)
        ? await WhereAsync(line, await traveler.GoToAsync(position, cancellationToken) ? null : $"the log ends before {position}")
        : new DebugAnswer(line, $"'{where}' is not a position: write 17 or 17:3.", null, Failed: true);

    private async Task<DebugAnswer> UntilAsync(string line, string where, CancellationToken cancellationToken)
    {
        if (Position.TryParse(where, out _))
        {
            return await GoToAsync(line, where, cancellationToken);
        }

        if (DateTimeOffset.TryParse(where, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out DateTimeOffset time)
            && where.Contains(':', StringComparison.Ordinal))
        {
            return await RunToAsync(line, message => message.Time >= time, $"the log ends before {time:O}", cancellationToken);
        }

        if (where.Length > 0 && where.All(static c => char.IsLetterOrDigit(c) || c == '_'))
        {
            return await RunToAsync(line, message =>
                names.IsNamed(message.MethodId, where), $"no further message of {where}", cancellationToken);
        }

        Condition condition = Condition.Parse(where, names);
        bool found = condition.NeedsState
            ? await traveler.RunUntilStateAsync((message, state) => condition.Holds(message, state), cancellationToken)
            : await traveler.RunAsync(message => condition.Holds(message), cancellationToken);
        return await WhereAsync(line, found ? null : "it never comes to that");
    }

    private async Task<DebugAnswer> StateAsync(string line, string path)
    {
        using JsonDocument state = await traveler.StateAsync();
        JsonElement? part = path.Length == 0
            ? state.RootElement
            : StateText.Find(state.RootElement, path) ?? StateText.Find(state.RootElement, "state." + path);
        return part is { } found
            ? new DebugAnswer(line, StateText.Long(found), found.Clone())
            : new DebugAnswer(line, $"There is nothing at {path} in the state.", null, Failed: true);
    }

    private async Task<DebugAnswer> DiffAsync(string line, CancellationToken cancellationToken)
    {
        MessageEffect? effect = await traveler.ExamineAsync(cancellationToken);
        if (effect is null)
        {
            return new DebugAnswer(line, "No message has been executed yet.", Array.Empty<StateDifference>());
        }

        string text = effect.Differences.Count == 0 ? "the state did not change" : string.Join("\n", effect.Differences);
        return new DebugAnswer(line, $"{MessageText.Line(effect.Message, names)}\n{text}", new
            { message = Describe(effect.Message), differences = effect.Differences });
    }

    private async Task<DebugAnswer> OutputsAsync(string line, CancellationToken cancellationToken)
    {
        MessageEffect? effect = await traveler.ExamineAsync(cancellationToken);
        if (effect is null)
        {
            return new DebugAnswer(line, "No message has been executed yet.", Array.Empty<object>());
        }

        IEnumerable<string> lines = effect.Outputs.Select(output => MessageText.Line(output, names))
            .Concat(effect.Asked.Select(MessageText.Line)).Concat(effect.Faults.Select(static fault => $"threw {fault.Text}"));
        string text = string.Join("\n", lines.DefaultIfEmpty("it sent nothing"));
        var outputs = effect.Outputs.Select(output => new
        {
            output.Destination, kind = output.Kind.Word(), method = names.NameOf(output.MethodId),
            arguments = MessagePackText.ToJson(output.Body.Span),
        });
        var effects = effect.Asked.Select(static asked => new
        {
            asked.Key, method = asked.Name, arguments = MessagePackText.ToJson(asked.Arguments.Span),
        });
        object data = new { message = Describe(effect.Message), outputs, effects, effect.Faults };
        return new DebugAnswer(line, $"{MessageText.Line(effect.Message, names)}\n{text}", data);
    }

    private async Task<DebugAnswer> HashAsync(string line)
    {
        string? hash = await traveler.StateHashAsync();
        return new DebugAnswer(line, hash ?? "this state cannot be saved, so it has no hash", new { at = traveler.At.ToString(), hash });
    }
}
