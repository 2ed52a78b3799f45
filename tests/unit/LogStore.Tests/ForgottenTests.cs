using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;
using Ambrosia.Primitives.Loops;

namespace Ambrosia.LogStore.Tests;

/// <summary>A file that somebody shortens while it is written: what was acknowledged is gone, and the next record must not be put behind a
/// hole.</summary>
public sealed class ForgottenTests
{
    private const int Records = 4;
    private readonly MemoryFileSystem _disk = new();
    private readonly RecordingFatal _fatal = new();

    [Theory]
    [InlineData(4096, "LSN 1 to 4")]
    [InlineData(0, "LSN 1 to 4")]
    [InlineData(4096 + (4 * 72) - 1, "LSN 4 to 4")] // Half a record is none.
    public void A_file_that_was_shortened_under_its_writer_ends_it_and_the_records_are_named(
        long length, string lost) => SingleThread.Run(async () =>
    {
        var environment = new LogStoreEnvironment { Memory = _disk.NewProcess(), Loops = new InlineLoopRunner(), Fatal = _fatal };
        LogHarness writer = await LogHarness.StartAsync(await LogStores.OpenLogAsync("memory:", "bank", LogScene.Options, environment));
        for (int i = 0; i < Records; i++)
        {
            await writer.AppendAsync([(byte)i]);
        }

        await using (IFile segment = await _disk.NewProcess().OpenAsync(LogScene.Segment(1), FileOpening.ReadWrite))
        {
            await segment.TruncateAsync(length);
        }

        Task refused = writer.AppendAsync([9]);
        (int code, string line) = await _fatal.Died;
        Assert.Equal(40, code);
        Assert.StartsWith($"IC-2036 the store has forgotten records that it had confirmed: {lost} | ", line, StringComparison.Ordinal);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => refused);
        Assert.Equal(new Lsn(Records), writer.Appender.DurableLsn);
        await Assert.ThrowsAnyAsync<LogStoreException>(() => writer.Appender.Completion);
        await writer.DisposeAsync();
    });
}
