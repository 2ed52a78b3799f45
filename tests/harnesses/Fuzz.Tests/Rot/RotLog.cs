using System.Text;
using Ambrosia.Fuzz.Tests.Engine;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>An instance's folder on a real file system, and what recovery from it must find.</summary>
internal sealed class RotLog
{
    private static readonly LogStoreOptions s_small = new()
        { SegmentSize = 64 * 1024, PageSize = 8192, ZeroAhead = 16 * 1024, SpareSegments = 1, CheckpointBlockSize = 4096 };

    private RotLog(string root, LogStoreOptions options) => (Root, Options) = (root, options);

    public string Root { get; }

    public LogStoreOptions Options { get; }

    /// <summary>Bodies of all records still in the log, by LSN.</summary>
    public SortedDictionary<ulong, byte[]> Records { get; } = [];

    /// <summary>Data of all checkpoints in the folder, by LSN.</summary>
    public SortedDictionary<ulong, byte[]> Checkpoints { get; } = [];

    public string Folder => Path.Combine(Root, "bank");

    public ulong Last => Records.Keys.Last();

    /// <summary>
    /// Makes a log of several lives. Which depends on the shape: 0 keeps everything; 1 only what two checkpoints need, so that its
    /// beginning is gone; 2 ends with a record that nothing proves durable, as a killed process leaves it; 3 has large records and a single
    /// checkpoint; 4 none.
    /// </summary>
    public static async Task<RotLog> MakeAsync(string root, int shape, FuzzRandom random)
    {
        var log = new RotLog(root, s_small with { Retention = shape == 1 ? RetentionPolicy.Checkpoints(2) : RetentionPolicy.All });
        int lives = shape == 3 ? 2 : 4;
        for (int life = 1; life <= lives; life++)
        {
            await using LogHarness writer = await StartAsync(root, "bank", log.Options, new CollectingLogger());
            for (int i = 0; i < 7; i++)
            {
                byte[] message = new byte[random.Next(shape == 3 ? 30_000 : 700)];
                message.AsSpan().Fill((byte)(1 + random.Next(255)));
                await writer.AppendAsync(message);
            }

            if (shape != 4 && (shape != 3 || life == 1))
            {
                await writer.CheckpointAsync(writer.Appender.DurableLsn, [.. State(writer.Appender.DurableLsn.Value)]);
                await writer.AppendAsync(Encoding.UTF8.GetBytes($"after the checkpoint of life {life}"));
            }

            bool last = life == lives;
            if (!last || shape != 2)
            {
                await MarkAsync(writer);
            }

            await writer.Log.TrimAsync();
        }

        await log.ReadBackAsync();
        return log;
    }

    /// <summary>Opens the log for writing, on one thread.</summary>
    public static async Task<LogHarness> StartAsync(string root, string instance, LogStoreOptions options, CollectingLogger logger)
    {
        WriteAheadLog log = await LogStores.OpenLogAsync("file:" + root, instance, options, Environment(logger));
        try
        {
            return await LogHarness.StartAsync(log);
        }
        catch (LogStoreException)
        {
            await log.DisposeAsync();
            throw;
        }
    }

    public static LogStoreEnvironment Environment(CollectingLogger logger) =>
        new() { Loops = new InlineLoopRunner(), Fatal = new RecordingFatal(), Logger = logger };

    /// <summary>Copies the folder as it is.</summary>
    public void CopyTo(string root)
    {
        foreach (string file in Directory.EnumerateFiles(Root, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(root, Path.GetRelativePath(Root, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }

        Directory.CreateDirectory(Path.Combine(root, "bank", "scratch"));
    }

    public string Segment(ulong number) => Path.Combine(Folder, "log", StoreNames.Segment(number));

    public string Checkpoint(ulong lsn) => Path.Combine(Folder, "checkpoints", StoreNames.Checkpoint(new Lsn(lsn)));

    /// <summary>Numbers of the segments, ascending.</summary>
    public ulong[] Segments() => [.. Directory.EnumerateFiles(Path.Combine(Folder, "log"), "*.seg").Select(static file =>
        ulong.Parse(Path.GetFileNameWithoutExtension(file), System.Globalization.CultureInfo.InvariantCulture)).Order()];

    private static byte[] State(ulong lsn) => [.. Enumerable.Range(0, 9000).Select(i => (byte)((ulong)i * 7 + lsn))];

    /// <summary>A record without a body's worth of messages that proves the one before it durable, as the coordinator asks for when it goes
    /// idle.</summary>
    private static async Task MarkAsync(LogHarness writer)
    {
        Lsn before = writer.Appender.DurableLsn;
        writer.Appender.RequestFlush();
        for (int tries = 0; writer.Appender.DurableLsn == before; tries++)
        {
            Assert.True(tries < 10_000, "The durable mark was not written.");
            await Task.Yield();
        }
    }

    private async Task ReadBackAsync()
    {
        await using WriteAheadLog view = await LogStores.OpenLogAsync("file:" + Root, "bank", Options, Environment(new CollectingLogger()));
        foreach ((Lsn lsn, byte[] body) in await LogHarness.ReadAllAsync(view, view.OldestLsn, Ambrosia.LogStore.Read.ReadLimit.Everything))
        {
            Records[lsn.Value] = body;
        }

        foreach (ManifestEntry entry in view.Checkpoints)
        {
            Checkpoints[entry.Lsn.Value] = State(entry.Lsn.Value);
        }

        Assert.NotEmpty(Records);
    }
}
