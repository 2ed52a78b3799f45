using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>What a log in files owes to processes that are killed, whatever calls it makes.</summary>
public abstract class ProcessConformance : IDisposable
{
    protected string Folder { get; } = Directory.CreateTempSubdirectory("ambrosia-process-").FullName;

    /// <summary>Environment of the second processes.</summary>
    protected virtual IReadOnlyDictionary<string, string> Children { get; } = new Dictionary<string, string>();

    public void Dispose()
    {
        Directory.Delete(Folder, recursive: true);
        GC.SuppressFinalize(this);
    }

    [Fact]
    public async Task Two_processes_never_hold_the_lease_and_killing_the_holder_frees_it()
    {
        using ChildProcess holder = ChildProcess.Start(Children, "hold", Folder);
        Assert.Equal("held", await holder.ReadLineAsync());
        using (ChildProcess second = ChildProcess.Start(Children, "hold", Folder))
        {
            Assert.Equal(3, (await second.EndAsync()).ExitCode);
        }

        await using WriteAheadLog log = await OpenAsync();
        string start = (await File.ReadAllTextAsync($"/proc/{holder.Id}/stat")).Split(") ")[1].Split(' ')[19];
        Assert.Equal($"pid {holder.Id} started {start}", await log.ReadHolderAsync());
        Assert.Null(await log.TryAcquireAsync());
        Task<ILogLease> waiting = log.AcquireAsync(CancellationToken.None).AsTask();
        Assert.False(waiting.IsCompleted);
        holder.Kill();
        await using ILogLease lease = await waiting.WaitAsync(TimeSpan.FromMinutes(1));
        await lease.VerifyAsync();
    }

    [Fact]
    public async Task Killed_again_and_again_a_log_keeps_every_acknowledged_record_and_never_repeats_an_epoch()
    {
        ulong acknowledged = 0;
        var random = new Random(7);
        for (int life = 1; life <= 12; life++)
        {
            using ChildProcess writer = ChildProcess.Start(Children, "append", Folder, "100000");
            Assert.Equal($"epoch {life}",
                (await writer.ReadLineAsync())![..(6 + life.ToString(System.Globalization.CultureInfo.InvariantCulture).Length)]);
            for (int lines = random.Next(1, 60); lines > 0; lines--)
            {
                acknowledged = ulong.Parse((await writer.ReadLineAsync())!.Split(' ')[1],
                    System.Globalization.CultureInfo.InvariantCulture);
            }

            writer.Kill();
            foreach (string line in (await writer.EndAsync()).Output.Where(line =>
                line.StartsWith("durable ", StringComparison.Ordinal) && line.Length > 8))
            {
                acknowledged = ulong.TryParse(line[8..], out ulong lsn) ? Math.Max(acknowledged, lsn) : acknowledged;
            }
        }

        (WriterStart start, int records) = await RecoverAsync();
        Assert.True(start.LastLsn.Value >= acknowledged);
        Assert.Equal(start.LastLsn.Value, (ulong)records);
        Assert.Equal(new Epoch(13), start.Epoch);
    }

    protected abstract IFileSystem NewFiles();

    protected async Task<(WriterStart Start, int Records)> RecoverAsync()
    {
        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync());
        return (writer.Start, (await LogHarness.ReadAllAsync(writer.Log, Lsn.None)).Count);
    }

    protected ValueTask<WriteAheadLog> OpenAsync() =>
        LogStores.OpenLogAsync("file:" + Folder, "bank", new LogStoreOptions
            { PageSize = 4096, SegmentSize = 64 * 1024 }, new LogStoreEnvironment { Fatal = new RecordingFatal(), Files = NewFiles() });
}
