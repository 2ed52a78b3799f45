using System.CommandLine;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia query NAME METHOD ARGUMENTS</c>: asks an app, a secondary's too, without logging anything.</summary>
internal sealed class QueryVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly Argument<string> _method = new("method") { Description = "Method with [Query]." };
    private readonly Argument<string[]> _arguments = new("arguments")
        { Description = "Its arguments as JSON; what is no JSON is a text.", Arity = ArgumentArity.ZeroOrMore };
    private readonly Option<ulong> _atLeast = new("--at-least")
        { Description = "Record that must have been executed before it answers.", HelpName = "LSN" };
    private readonly Option<string> _wait = new("--wait") { Description = "How long to wait for that. Default: 10s.", HelpName = "TIME" };
    private readonly Option<int?> _replica = new("--replica")
        { Description = "Number of the replica to ask. Default: the primary.", HelpName = "NUMBER" };

    public Command Build()
    {
        var command = new Command(
            "query", "Ask an app a question that is not logged and changes nothing; the answer says after which record it is "
            + "so.\n\nExample: ambrosia query bank BalanceOf alice --replica 1 --at-least 4711")
        {
            _name, _method, _arguments, _atLeast, _wait, _replica,
        };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        string request = RequestOf(parsed);
        int? replica = parsed.GetValue(_replica);
        string answer = await places.AskAsync(parsed, name, replica, admin => admin.QueryAsync(request, cancellationToken));
        if (parsed.GetValue(json))
        {
            terminal.Line(answer);
            return (int)CommandExit.Done;
        }

        JsonNode said = JsonNode.Parse(answer)!;
        terminal.Line(said["result"]?.ToJsonString() ?? "null");
        terminal.Line(string.Create(CultureInfo.InvariantCulture, $"after record {said["lsn"]}, {said["role"]}"));
        return (int)CommandExit.Done;
    }

    private string RequestOf(ParseResult parsed)
    {
        var arguments = new JsonArray([.. (parsed.GetValue(_arguments) ?? []).Select(ValueOf)]);
        string wait = parsed.GetValue(_wait) is { Length: > 0 } time ? $"&wait={Uri.EscapeDataString(time)}" : "";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"query/{Uri.EscapeDataString(parsed.GetValue(_method)!)}?args={Uri.EscapeDataString(arguments.ToJsonString())}&at-least="
            + $"{parsed.GetValue(_atLeast)}{wait}");
    }

    private static JsonNode? ValueOf(string text)
    {
        try
        {
            return JsonNode.Parse(text);
        }
        catch (JsonException)
        {
            return JsonValue.Create(text);
        }
    }
}
