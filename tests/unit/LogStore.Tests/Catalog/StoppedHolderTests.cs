using System.Diagnostics;
using System.Runtime.InteropServices;
using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Files;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Tests.Processes;
using Ambrosia.LogStore.Tests.Support;

namespace Ambrosia.LogStore.Tests.Catalog;

/// <summary>
/// A process that stands still while it changes the file catalog: nobody waits for it long, and when it goes on it changes nothing that
/// others have written.
/// </summary>
public sealed partial class StoppedHolderTests : IDisposable
{
    private const int Continue = 18; // SIGCONT
    private static readonly TimeSpan s_patience = TimeSpan.FromMilliseconds(200);
    private readonly string _folder = Directory.CreateTempSubdirectory("ambrosia-stopped-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_process_held_at_any_call_keeps_none_from_changing_entries_and_undoes_nothing_afterwards(bool removes)
    {
        int passedOver = 0;
        for (int at = 1; ; at++)
        {
            var disk = new MemoryFileSystem();
            FileCatalog plain = CatalogOf(disk.NewProcess());
            await plain.PutAsync(Entry("other", "first"), null);
            string? version = await plain.PutAsync(Entry("bank", "first"), null);
            MemoryProcess stopped = disk.NewProcess();
            var hold = new HeldAtCall(at);
            disk.Faults = hold;
            FileCatalog held = CatalogOf(stopped);
            Task<bool> late = removes ? held.RemoveAsync("bank", version).AsTask() : PutLateAsync(held, version);
            if (!hold.IsHeld)
            {
                Assert.True(await late);
                break;
            }

            disk.Faults = null;
            FileCatalog next = CatalogOf(disk.NewProcess());
            await RegisterAsync(next, "other", "second");
            await RegisterAsync(next, "bank", "second");
            passedOver += disk.AllFiles().Count(static path => path.EndsWith(".json", StringComparison.Ordinal)) == 2 ? 1 : 0;
            hold.GoOn();
            bool changed = await late.WaitAsync(Patience.Time);
            Assert.Equal("second", (await next.GetAsync("bank"))!.Entry.PeerAddress);
            Assert.Equal("second", (await next.GetAsync("other"))!.Entry.PeerAddress);
            await RegisterAsync(next, "bank", "third");
            Assert.Equal("third", (await next.GetAsync("bank"))!.Entry.PeerAddress);
            Assert.DoesNotContain(disk.AllFiles(), static path => path.Contains(".turn.", StringComparison.Ordinal));
            Assert.True(at < 100, $"call {at}, {changed}");
        }

        Assert.InRange(passedOver, 8, 100);

        static async Task<bool> PutLateAsync(FileCatalog catalog, string? version) =>
            await catalog.PutAsync(Entry("bank", "late"), version) is not null;
    }

    [Theory] // A stopped process keeps its locks.
    [InlineData(1)]
    [InlineData(-1)]
    public async Task A_process_that_is_stopped_at_any_call_keeps_nobody_from_changing_entries_and_undoes_nothing_when_it_goes_on(int sign)
    {
        var catalog = new FileCatalog(new PosixFileSystem(), _folder, TimeProvider.System) { Patience = s_patience };
        for (int at = 1; at <= 25; at += 3)
        {
            await RegisterAsync(catalog, "bank", "first");
            using ChildProcess child = ChildProcess.Start(new Dictionary<string, string>(), "catalog", _folder, $"{sign * at}");
            string? line = await child.ReadLineAsync();
            if (line == "stops")
            {
                await Poll.UntilAsync(() => File.ReadAllText($"/proc/{child.Id}/stat").Contains(") T ", StringComparison.Ordinal));
                long begun = Stopwatch.GetTimestamp();
                await RegisterAsync(catalog, "bank", "second");
                await RegisterAsync(catalog, "other", $"at {at}");
                Assert.InRange(Stopwatch.GetElapsedTime(begun), TimeSpan.Zero, TimeSpan.FromSeconds(30));
                Assert.Equal(0, Kill(child.Id, Continue));
                (int code, string[] output, string error) = await child.EndAsync();
                Assert.True(code == 0, error);
                Assert.Single(output);
                Assert.Equal("second", (await catalog.GetAsync("bank"))!.Entry.PeerAddress);
                Assert.Equal($"at {at}", (await catalog.GetAsync("other"))!.Entry.PeerAddress);
            }
            else
            {
                Assert.Equal("done", line);
                Assert.True(at > 15, $"there was no call {at}");
            }
        }
    }

    [Fact]
    public async Task Two_that_stand_still_one_of_them_while_it_passes_the_other_over_are_told_of_and_not_waited_for()
    {
        var disk = new MemoryFileSystem();
        FileCatalog catalog = CatalogOf(disk.NewProcess());
        string? version = await catalog.PutAsync(Entry("bank", "first"), null);
        await using (IFile first = await disk.OpenAsync("/catalog/.catalog/.lock", FileOpening.ReadWriteOrCreate))
        await using (IFile second = await disk.OpenAsync("/catalog/.catalog/.lock.next", FileOpening.ReadWriteOrCreate))
        {
            Assert.True(await first.TryLockAsync() && await second.TryLockAsync());
            LogStoreException held = await Assert.ThrowsAsync<LogStoreException>(async () =>
                await catalog.PutAsync(Entry("bank", "second"), version));
            Assert.Equal("IC-2051", held.Code);
        }

        Assert.NotNull(await catalog.PutAsync(Entry("bank", "second"), version));
    }

    [Fact]
    public async Task What_a_killed_holder_left_is_tidied_up_by_the_next_one()
    {
        for (int at = 1; ; at++)
        {
            var disk = new MemoryFileSystem();
            string? version = await CatalogOf(disk.NewProcess()).PutAsync(Entry("bank", "first"), null);
            MemoryProcess killed = disk.NewProcess();
            var hold = new HeldAtCall(at);
            disk.Faults = hold;
            Task late = CatalogOf(killed).PutAsync(Entry("bank", "late"), version).AsTask();
            if (!hold.IsHeld)
            {
                await late;
                break;
            }

            killed.Kill();
            disk.Faults = null;
            hold.GoOn();
            Exception? ended = await Record.ExceptionAsync(() => late.WaitAsync(Patience.Time));
            Assert.True(ended is null or FileFailedException); // Killed behind its change, it has nothing to tell.
            await RegisterAsync(CatalogOf(disk.NewProcess()), "bank", "second");
            Assert.Equal(["/catalog/.catalog/.lock", "/catalog/.catalog/bank.json"], disk.AllFiles());
            Assert.DoesNotContain(await disk.ListAsync("/catalog/.catalog"), static name =>
                name.StartsWith(".turn.", StringComparison.Ordinal));
        }
    }

    private static FileCatalog CatalogOf(IFileSystem files) => new(files, "/catalog", TimeProvider.System) { Patience = s_patience };

    private static CatalogEntry Entry(string instance, string address) => new() { Instance = instance, PeerAddress = address };

    /// <summary>As a coordinator does it at its start: until its entry stands there.</summary>
    private static async Task RegisterAsync(FileCatalog catalog, string instance, string address)
    {
        while (await catalog.PutAsync(Entry(instance, address), (await catalog.GetAsync(instance))?.Version) is null)
        {
        }
    }

    [LibraryImport("libc", EntryPoint = "kill")]
    private static partial int Kill(int process, int signal);

    /// <summary>Lets the n-th call wait; only until then it looks at calls.</summary>
    private sealed class HeldAtCall(int at) : IFileFaults
    {
        private readonly TaskCompletionSource _goesOn = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _calls;

        public bool IsHeld { get; private set; }

        public void GoOn() => _goesOn.SetResult();

        public async ValueTask<FileFault> BeforeAsync(FileCall call)
        {
            if (++_calls == at)
            {
                IsHeld = true;
                await _goesOn.Task;
            }

            return FileFault.None;
        }
    }
}
