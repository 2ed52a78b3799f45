using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>A reader that looks back at a live log keeps what there was when it began.</summary>
public sealed class HeldFilesTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("held").FullName;
    private readonly MemoryFileSystem _disk = new();

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task What_was_there_when_a_reader_began_stays_readable_while_the_writer_lets_go_of_it(bool onFiles)
    {
        LogStoreOptions options = LogScene.Options with { SpareSegments = 2 };
        string uri = onFiles ? $"file:{_folder}" : "memory:";
        await using LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync(uri, "bank", options, Environment()));
        await AppendAsync(writer, 1, 100);
        await writer.CheckpointAsync(new Lsn(50), [1]);
        await writer.CheckpointAsync(new Lsn(100), [2]);
        await writer.Log.TrimAsync();
        Lsn oldest = writer.Log.OldestLsn;
        Assert.InRange(oldest.Value, 2UL, 51UL);
        await using WriteAheadLog holds = await LogView.OpenAsync(uri, "bank", options, Environment(), holds: true);
        await using WriteAheadLog holdsNot = await LogView.OpenAsync(uri, "bank", options, Environment());

        await AppendAsync(writer, 101, 200);
        await writer.CheckpointAsync(new Lsn(190), [3]);
        await writer.CheckpointAsync(new Lsn(200), [4]);
        await writer.Log.TrimAsync();
        await AppendAsync(writer, 201, 300); // Over the spares, if they are spares.
        Assert.True(writer.Log.OldestLsn > new Lsn(100), $"kept from {writer.Log.OldestLsn} on");

        List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(holds, oldest);
        Assert.InRange(records[^1].Lsn.Value, 100UL, 300UL); // What came and went since lies between.
        Assert.All(records, static record => Assert.All(record.Body[..^4], value => Assert.Equal((byte)record.Lsn.Value, value)));
        await holds.RefreshAsync();
        Assert.Equal(oldest, holds.OldestLsn);
        await using CheckpointReader? first = await holds.OpenCheckpointAsync(new Lsn(50));
        Assert.Equal([1], (await first!.ReadAsync()).ToArray());
        Assert.Null(await holdsNot.OpenCheckpointAsync(new Lsn(50)));
        await holdsNot.RefreshAsync();
        await LogHarness.ReadAllAsync(holdsNot, oldest, ending: ReadOutcome.Trimmed);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_follower_of_a_log_comes_to_its_end_whether_it_holds_the_log_or_not(bool holds)
    {
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, Environment()));
        await AppendAsync(writer, 1, 20);
        await using WriteAheadLog view = await LogView.OpenAsync("memory:", "bank", LogScene.Options, Environment(), holds);
        await using LogReader reader = view.OpenReader(new Lsn(1));
        for (int last = 40; last <= 400; last += 20)
        {
            while (await reader.ReadAsync() == ReadOutcome.Record)
            {
                Assert.Equal((byte)reader.Header.Lsn.Value, reader.Body.Span[0]);
            }

            Assert.InRange(reader.NextLsn.Value, (ulong)last - 20, (ulong)last);
            await AppendAsync(writer, last - 19, last);
            await writer.CheckpointAsync(new Lsn((ulong)last - 20), [1]);
            await writer.CheckpointAsync(new Lsn((ulong)last - 10), [1]);
            await writer.Log.TrimAsync();
        }

        Assert.True(writer.Log.OldestLsn > new Lsn(300));
    }

    [Fact]
    public async Task What_nobody_holds_any_more_is_written_again()
    {
        LogStoreOptions options = LogScene.Options with { SpareSegments = 2 };
        await using LogHarness writer =
            await LogHarness.StartAsync(await LogStores.OpenLogAsync($"file:{_folder}", "bank", options, Environment()));
        await AppendAsync(writer, 1, 100);
        await using (await LogView.OpenAsync($"file:{_folder}", "bank", options, Environment(), holds: true))
        {
        }

        await writer.CheckpointAsync(new Lsn(90), [1]);
        await writer.CheckpointAsync(new Lsn(100), [2]);
        await writer.Log.TrimAsync();
        Assert.NotEmpty(Directory.GetFiles(_folder, "*.free", SearchOption.AllDirectories));
    }

    private static async Task AppendAsync(LogHarness writer, int first, int last)
    {
        for (int lsn = first; lsn <= last; lsn++)
        {
            byte[] body = new byte[3000];
            Array.Fill(body, (byte)lsn);
            await writer.AppendAsync(body);
        }
    }

    private LogStoreEnvironment Environment() => new() { Memory = _disk.NewProcess() };
}
