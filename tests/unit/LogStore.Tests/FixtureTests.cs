using Ambrosia.LogStore.Checkpoints;
using Ambrosia.LogStore.Read;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests;

/// <summary>A log and checkpoints of every released format stay in the tree and load for ever.</summary>
public sealed class FixtureTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-fixture-").FullName;

    private static string Fixture => Path.Combine(AppContext.BaseDirectory, "Fixtures", "v1");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task The_log_and_checkpoints_of_format_1_are_read_and_continued()
    {
        CopyFolder(Fixture, _folder);
        await using (WriteAheadLog view = await OpenAsync())
        {
            Assert.Equal(new Epoch(3), view.Epoch);
            Assert.Equal("5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a", view.InstanceId.ToString());
            Assert.Equal([5UL, 2UL], view.Checkpoints.Select(entry => entry.Lsn.Value));
            foreach (int lsn in (int[])[2, 5])
            {
                await using CheckpointReader reader = (await view.OpenNewestValidCheckpointAsync(new Lsn((ulong)lsn)))!;
                using var state = new MemoryStream();
                ReadOnlyMemory<byte> block;
                while (!(block = await reader.ReadAsync()).IsEmpty)
                {
                    state.Write(block.Span);
                }

                Assert.Equal(FixtureMaker.State(lsn), state.ToArray());
            }

            List<(Lsn Lsn, byte[] Body)> records = await LogHarness.ReadAllAsync(view, Lsn.None, ReadLimit.Everything);
            Assert.Equal(9, records.Count);
            Assert.All(records, record => Assert.Equal(FixtureMaker.Payload((int)record.Lsn.Value), record.Body[..^4]));
        }

        await using LogHarness writer = await LogHarness.StartAsync(await OpenAsync());
        Assert.Equal(new Epoch(4), writer.Start.Epoch);
        await writer.AppendAsync([1]);
        Assert.Equal(new Lsn(10), writer.Appender.DurableLsn);
    }

    [Fact]
    public async Task What_this_build_writes_is_format_1_byte_for_byte()
    {
        await FixtureMaker.MakeAsync(_folder);
        string[] expected = [.. Directory.EnumerateFiles(Fixture, "*", SearchOption.AllDirectories)
            .Select(path => Path.GetRelativePath(Fixture, path)).Order(StringComparer.Ordinal)];
        Assert.Equal(8, expected.Length); // Manifests, segments 1 to 3, checkpoints 2 and 5, this format's note.
        foreach (string name in expected.Where(name => name != "README.md"))
        {
            Assert.True(File.ReadAllBytes(Path.Combine(Fixture, name)).AsSpan()
                .SequenceEqual(File.ReadAllBytes(Path.Combine(_folder, name))), $"{name} differs");
        }
    }

    private static void CopyFolder(string from, string to)
    {
        foreach (string file in Directory.EnumerateFiles(from, "*", SearchOption.AllDirectories))
        {
            string target = Path.Combine(to, Path.GetRelativePath(from, file));
            Directory.CreateDirectory(Path.GetDirectoryName(target)!);
            File.Copy(file, target);
        }
    }

    private ValueTask<WriteAheadLog> OpenAsync() =>
        LogStores.OpenLogAsync("file:" + _folder, "bank", FixtureMaker.Options, new LogStoreEnvironment { Fatal = new RecordingFatal() });
}
