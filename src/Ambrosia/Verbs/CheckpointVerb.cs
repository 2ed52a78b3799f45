using System.CommandLine;
using System.Globalization;
using Ambrosia.Cli.History;
using Ambrosia.Cli.Output;
using Ambrosia.LogStore;
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
        var verify = new Command("verify", "Read all checkpoints and check every checksum.\n\nExample: ambrosia checkpoint verify bank --log /backup/bank");
        _log.AddTo(verify);
        verify.SetAction(VerifyAsync);
        var export = new Command("export", "Write the app's part of a checkpoint to a file.\n\nExample: ambrosia checkpoint export bank 4711 -o state.bin");
        _log.AddTo(export);
        export.Arguments.Add(_lsn);
        export.Options.Add(_file);
        export.SetAction(ExportAsync);
        var command = new Command("checkpoint", "Take a checkpoint of a running instance; returns when it is durable.\n\nExample: ambrosia checkpoint bank --admin 127.0.0.1:8080") { _name, list, verify, export };
        command.SetAction(RunAsync);
        return command;
    }

    /// <summary>Reads every checkpoint of a log; what is wrong is added to the list.</summary>
    public static async Task VerifyAllAsync(ReplayLog log, List<string> bad)
    {
        foreach (ulong lsn in log.Checkpoints)
        {
            try
            {
                if (!await log.VerifyCheckpointAsync(lsn))
                {
                    bad.Add(string.Create(CultureInfo.InvariantCulture, $"The checkpoint at {lsn} stands in the manifest and is not there."));
                }
            }
            catch (Exception error) when (error is LogCorruptException or Protocol.ProtocolException)
            {
                bad.Add(error.Message);
            }
        }
    }

    private async Task<int> ListAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        if (parsed.GetValue(json))
        {
            terminal.Json(log.View.Checkpoints.Select(static entry => new { lsn = entry.Lsn.Value, epoch = entry.Epoch.Value, bytes = entry.StoredBytes }));
        }
        else if (log.Checkpoints.Count == 0)
        {
            terminal.Line($"{log.Instance} has no checkpoints.");
        }
        else
        {
            terminal.Table(["LSN", "EPOCH", "BYTES"], [.. log.View.Checkpoints.Select(static entry => new[]
            {
                entry.Lsn.Value.ToString(CultureInfo.InvariantCulture), entry.Epoch.Value.ToString(CultureInfo.InvariantCulture), entry.StoredBytes.ToString(CultureInfo.InvariantCulture),
            })]);
        }

        return (int)CommandExit.Done;
    }

    private async Task<int> VerifyAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        var bad = new List<string>();
        await VerifyAllAsync(log, bad);
        if (parsed.GetValue(json))
        {
            terminal.Json(new { log.Instance, checkpoints = log.Checkpoints, damage = bad });
        }
        else
        {
            terminal.Line($"{log.Instance}: {log.Checkpoints.Count} checkpoints: {(bad.Count == 0 ? "all intact" : "DAMAGED")}");
            bad.ForEach(terminal.Error);
        }

        return (int)(bad.Count == 0 ? CommandExit.Done : CommandExit.Different);
    }

    private async Task<int> ExportAsync(ParseResult parsed, CancellationToken cancellationToken)
    {
        await using ReplayLog log = await _log.OpenAsync(parsed);
        ulong lsn = parsed.GetValue(_lsn);
        if (!log.Checkpoints.Contains(lsn))
        {
            throw new CommandException(CommandExit.NotFound, $"{log.Instance} has no checkpoint at {lsn}; there are some at {string.Join(", ", log.Checkpoints)}.");
        }

        string path = parsed.GetValue(_file)!.FullName;
        await using FileStream file = File.Create(path);
        long? bytes = await log.ExportCheckpointAsync(lsn, file, cancellationToken);
        terminal.Line(string.Create(CultureInfo.InvariantCulture, $"{bytes} bytes written to {path}"));
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
