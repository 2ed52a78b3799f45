using System.Globalization;
using Ambrosia.Coordinator.Settings;
using Ambrosia.InProcess;
using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.TimeTravel;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Text;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using TimeTravelApp;

namespace Ambrosia.Cli.Tests.History;

/// <summary>A log made by a dice in this process, with checkpoints before and after the roll that counts.</summary>
public sealed class DiceLog : IDisposable
{
    public const int Rolls = 400;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly string _home = Directory.CreateTempSubdirectory("ambrosia-dice-").FullName;

    private DiceLog()
    {
    }

    public string Folder => Path.Combine(_home, "store", "dice");

    /// <summary>URI of the store that it is in.</summary>
    public string Store => $"file:{_home}/store";

    /// <summary>What starts the app as a process of its own.</summary>
    public static string Program(Fickleness fickleness) => $"dotnet {typeof(Dice).Assembly.Location} {fickleness}";

    // As many records are behind the first rolls, however they came to share records.
    private bool HasCheckpointAfterFirstRolls => Directory.EnumerateFiles(Path.Combine(Folder, "checkpoints"), "*.ckpt")
        .Any(static path => ulong.Parse(Path.GetFileNameWithoutExtension(path), CultureInfo.InvariantCulture) >= 20);

    /// <summary>Rolls a dice and keeps its log, with a checkpoint between the first roll and the one that counts.</summary>
    public static async Task<DiceLog> MakeAsync(Fickleness fickleness)
    {
        var log = new DiceLog();
        await log.PlayAsync(fickleness, 4 << 10, async self =>
        {
            for (int i = 0; i < Rolls; i += 8)
            {
                if (i == Dice.Trigger / 8 * 8)
                {
                    await log.WaitForCheckpointAsync();
                }

                await Task.WhenAll(Enumerable.Range(i, 8).Select(number => self.RollImpulse(number))).WaitAsync(s_patience);
            }
        });
        return log;
    }

    private async Task WaitForCheckpointAsync()
    {
        using var patience = new CancellationTokenSource(s_patience);
        while (!HasCheckpointAfterFirstRolls)
        {
            await Task.Delay(10, patience.Token);
        }
    }

    /// <summary>An empty one, to be played with.</summary>
    public static DiceLog New() => new();

    /// <summary>Has a dice of this process act, and ends it.</summary>
    public async Task PlayAsync(Fickleness fickleness, long checkpointEvery, Func<DiceProxy, Task> play)
    {
        using var stop = new CancellationTokenSource();
        await using ServiceProvider services = new ServiceCollection().AddSingleton<DiceDoor>().BuildServiceProvider();
        var launcher = new InProcessCoordinator(
            new InProcessOptions
            {
                Store = Store, Catalog = $"file:{_home}/catalog", Peers = PeerLinks.Memory,
                Configure = options => (options.Retain, options.CheckpointEvery) = (new RetainOption(RetainKind.All, 0), checkpointEvery),
            },
            NullLoggerFactory.Instance, environment: static _ => null);
        var options = new ImmortalOptions { InstanceName = "dice" };
        var host = new ImmortalHost(() => new Dice(fickleness), options, services: services);
        Task running = launcher.RunAsync(options, (link, token) => host.RunAsync(link, token), stop.Token);
        await play(await services.GetRequiredService<DiceDoor>().Dice.WaitAsync(s_patience));
        await stop.CancelAsync();
        await running.WaitAsync(s_patience);
    }

    /// <summary>Where a roll stands in the log, found in its bytes alone.</summary>
    public async Task<Position> FindAsync(long number)
    {
        await using ReplayLog log = await ReplayLog.OpenFolderAsync(Folder);
        for (ulong lsn = 1; await log.ReadAsync(lsn) is { } record; lsn++)
        {
            for (int i = 0; i < record.Count; i++)
            {
                if (record[i].Kind == MessageKind.Impulse && MessagePackText.ToJson(record[i].Body)![0]!.GetValue<long>() == number)
                {
                    return record[i].Position;
                }
            }
        }

        throw new InvalidOperationException($"Roll {number} is not in the log.");
    }

    public void Dispose() => Directory.Delete(_home, recursive: true);
}
