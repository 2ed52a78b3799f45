using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.Commands;
using Ambrosia.Cli.History;
using Ambrosia.Cli.Output;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Errors;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.Cli.Verbs;

/// <summary><c>ambrosia checkpoint NAME</c>, and <c>list</c>, <c>verify</c>, <c>export</c> of those that are there.</summary>
internal sealed class CheckpointVerb(Places places, Terminal terminal, Option<bool> json) : IVerb
{
    private readonly Argument<string> _name = new("name") { Description = "Instance." };
    private readonly LogOptions _log = new(places);
    private readonly Argument<ulong> _lsn = new("lsn") { Description = "LSN of the checkpoint." };
    private readonly Option<FileInfo> _file = new("--output", "-o") { Description = "File to write.", HelpName = "FILE", Required = true };

    public Command Build()
    {
        var list = new Command("list", "List the checkpoints that are kept.\n\nExample: ambrosia checkpoint list bank");
        _log.AddTo(list);
        list.SetAction(ListAsync);
        var verify = new Command(
            "verify",
            "Read all checkpoints, check every checksum, and apply the rules of a start. "
            + "Ends with 65 when something is damaged or missing.\n\nExample: ambrosia checkpoint verify bank --log /backup/bank");
        _log.AddTo(verify);
        verify.SetAction(VerifyAsync);
        var export = new Command("export",
            "Write the app's part of a checkpoint to a file.\n\nExample: ambrosia checkpoint export bank 4711 -o state.bin");
        _log.AddTo(export);
        export.Arguments.Add(_lsn);
        export.Options.Add(_file);
        export.SetAction(ExportAsync);
        var command = new Command("checkpoint",
            "Take a checkpoint of a running instance; returns when it is durable.\n\nExample: ambrosia checkpoint bank --admin "
            + "127.0.0.1:8080") { _name, list, verify, export };
        command.SetAction(RunAsync);
        return command;
    }

    private async Task<int> ListAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        if (parsed.GetValue(json))
        {
            terminal.Json(log.View.Checkpoints.Select(static entry =>
                new { lsn = entry.Lsn.Value, epoch = entry.Epoch.Value, bytes = entry.StoredBytes }));
        }
        else if (log.Checkpoints.Count == 0)
        {
            terminal.Line($"{log.Instance} has no checkpoints.");
        }
        else
        {
            terminal.Table(["LSN", "EPOCH", "BYTES"], [.. log.View.Checkpoints.Select(static entry => new[]
            {
                entry.Lsn.Value.ToString(CultureInfo.InvariantCulture), entry.Epoch.Value.ToString(CultureInfo.InvariantCulture),
                    entry.StoredBytes.ToString(CultureInfo.InvariantCulture),
            })]);
        }

        return (int)CommandExit.Done;
    }

    private async Task<int> VerifyAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string instance = _log.Instance(parsed);
        IReadOnlyList<ulong> checkpoints = [];
        IReadOnlyList<string> damage;
        try
        {
            await using ReplayLog log = await _log.OpenAsync(parsed);
            instance = log.Instance;
            checkpoints = await log.ListCheckpointsAsync();
            var found = new LogVerification(log);
            await found.ExamineAsync();
            await found.ReadCheckpointsAsync();
            damage = found.Damage;
        }
        catch (LogStoreException error) when (Damage.Is(error))
        {
            damage = [error.Message];
        }

        if (parsed.GetValue(json))
        {
            terminal.Json(new { instance, checkpoints, damage });
        }
        else
        {
            terminal.Line($"{instance}: {Counted.Of(checkpoints.Count, "checkpoint")}: {(damage.Count == 0 ? "all intact" : "DAMAGED")}");
            damage.ToList().ForEach(terminal.Error);
        }

        return (int)(damage.Count == 0 ? CommandExit.Done : CommandExit.Different);
    }

    private async Task<int> ExportAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        ulong lsn = parsed.GetValue(_lsn);
        if (!log.Checkpoints.Contains(lsn))
        {
            throw new CommandException(CommandExit.NotFound,
                $"{log.Instance} has no checkpoint at {lsn}; there are some at {string.Join(", ", log.Checkpoints)}.");
        }

        string path = parsed.GetValue(_file)!.FullName;
        await using FileStream file = File.Create(path);
        long? bytes = await log.ExportCheckpointAsync(lsn, file, cancellationToken);
        terminal.Line($"{Counted.Of(bytes ?? 0, "byte")} written to {path}");
        return (int)CommandExit.Done;
    }

    private async Task<int> RunAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        string name = parsed.GetValue(_name)!;
        string said = await places.AskAsync(parsed, name, replica: null, admin => admin.CheckpointAsync(cancellationToken));
        if (parsed.GetValue(json))
        {
            terminal.Json(new { instance = name, said });
        }
        else
        {
            terminal.Line($"{name}: {said}");
        }

        return (int)CommandExit.Done;
    }
}
