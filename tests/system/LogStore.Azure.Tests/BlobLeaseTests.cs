using System.Globalization;
using Ambrosia.LogStore.Azure.Tests.Support;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Format;
using Ambrosia.LogStore.Leases;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives.Errors;
using Ambrosia.Primitives;
using Ambrosia.Services;
using Azure.Storage.Blobs.Models;
using Azure.Storage.Blobs.Specialized;

namespace Ambrosia.LogStore.Azure.Tests;

/// <summary>G7, G9: which process may append, whatever happens to it and to the network.</summary>
[Collection("azurite leases")]
public sealed class BlobLeaseTests(Azurite azurite)
{
    private readonly string _uri = azurite.NewBlobUri();

    [Fact]
    public async Task A_holder_that_cannot_prove_its_lease_stops_and_what_it_had_sent_is_refused_when_another_has_taken_over()
    {
        await using var proxy = new TcpProxy(azurite.BlobPort);
        var fatal = new RecordingFatal();
        LogHarness old = await LogHarness.StartAsync(await OpenAsync(fatal: fatal, port: proxy.Port));
        await old.AppendAsync([1]);
        proxy.Freeze();
        await old.PublishAsync([2]); // Its bytes lie in the network until there is a next holder.
        await using WriteAheadLog log = await OpenAsync();
        await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
        Assert.Equal(new Epoch(2), (await log.BecomeWriterAsync(lease)).Epoch);
        (int code, string line) = await fatal.Died.WaitAsync(Patience.Time);
        Assert.Equal((int)ExitCode.LeaseLost, code);
        Assert.StartsWith("IC-3005", line, StringComparison.Ordinal);
        string before = await SegmentsAsync();
        proxy.Thaw();
        await Assert.ThrowsAnyAsync<LogStoreException>(() => old.Appender.Completion);
        Assert.Equal(new Lsn(1), old.Appender.DurableLsn);
        await RequireChangesNothingAsync(old);
        Assert.Equal(before, await SegmentsAsync());
        Assert.Single(await LogHarness.ReadAllAsync(log, Lsn.None));
        await old.DisposeAsync();
    }

    [Fact]
    public async Task Of_a_holder_that_was_superseded_without_noticing_not_a_byte_is_accepted()
    {
        var fatal = new RecordingFatal();
        LogHarness old = await LogHarness.StartAsync(await OpenAsync(fatal: fatal));
        await old.AppendAsync([1]);
        await EndLeaseAsync();
        await using WriteAheadLog log = await OpenAsync();
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        Assert.Equal(new Epoch(2), (await log.BecomeWriterAsync(lease)).Epoch);
        string before = await SegmentsAsync();
        await old.PublishAsync([2]);
        (int code, string line) = await fatal.Died.WaitAsync(Patience.Time);
        Assert.Equal((int)ExitCode.LeaseLost, code);
        Assert.StartsWith("IC-3001", line, StringComparison.Ordinal);
        Assert.Equal(new Lsn(1), old.Appender.DurableLsn);
        await RequireChangesNothingAsync(old);
        Assert.Equal(before, await SegmentsAsync());
        await old.DisposeAsync();
    }

    [Fact]
    public async Task A_lease_that_the_service_forgot_is_not_called_anothers_when_nobody_has_taken_it()
    {
        await using WriteAheadLog log = await OpenAsync();
        await using ILogLease lease = await log.AcquireAsync(CancellationToken.None);
        await EndLeaseAsync();
        await Poll.UntilAsync(() => lease.Lost.IsCancellationRequested);
        LeaseLostException error = await Assert.ThrowsAsync<LeaseLostException>(async () => await lease.VerifyAsync());
        RequireForgotten(error.Message);
        Assert.Equal(ExitCode.LeaseLost, error.ExitCode);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)] // Only the segment's.
    public async Task A_writer_whose_leases_the_service_forgot_ends_with_a_sentence_that_says_so_and_goes_on_after_a_restart(bool also)
    {
        var fatal = new RecordingFatal();
        LogHarness old = await LogHarness.StartAsync(await OpenAsync(fatal: fatal));
        await old.AppendAsync([1]);
        Assert.True(await Container().ReleaseAnyAsync("bank/log/0000000001.seg"));
        if (also)
        {
            await EndLeaseAsync();
        }

        await old.PublishAsync([2]);
        (int code, string line) = await fatal.Died.WaitAsync(Patience.Time);
        Assert.Equal((int)ExitCode.LeaseLost, code);
        RequireForgotten(line);
        Assert.Equal(new Lsn(1), old.Appender.DurableLsn);
        await old.DisposeAsync();
        await EndLeaseAsync(); // As that of a process that has ended.
        await using LogHarness next = await LogHarness.StartAsync(await OpenAsync());
        Assert.Equal(new Epoch(2), next.Start.Epoch);
        await next.AppendAsync([3]);
        Assert.Equal(2, (await LogHarness.ReadAllAsync(next.Log, Lsn.None)).Count);
    }

    private static void RequireForgotten(string line)
    {
        Assert.StartsWith("IC-3015 the service has forgotten this process's lease, and nobody else has taken it | ", line,
            StringComparison.Ordinal);
        Assert.Contains("start again", line, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_lock_beside_the_log_that_a_dead_process_of_this_machine_held_is_nobodys()
    {
        await using WriteAheadLog log = await OpenAsync();
        await (await log.AcquireNamedLeaseAsync("successor", wait: false, CancellationToken.None))!.DisposeAsync();
        BlobLeaseClient dead = Container().AppendBlob("bank/locks/successor").GetBlobLeaseClient();
        await dead.AcquireAsync(TimeSpan.FromSeconds(60));
        Assert.True(await log.IsNamedLeaseHeldAsync("successor"));
        await Container().NoteAsync("bank/locks/successor", new() { ["holder"] = $"pid {int.MaxValue} started 1",
            ["machine"] = LeaseHolder.Current.Machine }, new BlobRequestConditions { LeaseId = dead.LeaseId });
        Assert.False(await log.IsNamedLeaseHeldAsync("successor"));
        await using ILogLease? taken = await log.AcquireNamedLeaseAsync("successor", wait: false, CancellationToken.None);
        Assert.NotNull(taken);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_lease_of_a_dead_process_of_this_machine_is_not_waited_for(bool sameMachine)
    {
        await using WriteAheadLog log = await OpenAsync();
        await (await log.AcquireAsync(CancellationToken.None)).DisposeAsync();
        string machine = sameMachine ? LeaseHolder.Current.Machine : "another";
        BlobLeaseClient dead = Container().AppendBlob("bank/lock").GetBlobLeaseClient();
        await dead.AcquireAsync(TimeSpan.FromSeconds(60));
        await Container().NoteAsync("bank/lock", new()
            { ["holder"] = $"pid {int.MaxValue} started 1", ["machine"] = machine }, new BlobRequestConditions { LeaseId = dead.LeaseId });
        Assert.True(await log.IsHeldAsync());
        await using ILogLease? lease = await log.TryAcquireAsync();
        Assert.Equal(sameMachine, lease is not null);
    }

    [Fact]
    public async Task Of_many_that_ask_for_a_free_lease_one_gets_it()
    {
        WriteAheadLog[] logs = await Task.WhenAll(Enumerable.Range(0, 6).Select(_ => OpenAsync().AsTask()));
        ILogLease?[] leases = await Task.WhenAll(logs.Select(static log => Task.Run(async () => await log.TryAcquireAsync())));
        Assert.Single(leases, static lease => lease is not null);
        foreach (ILogLease? lease in leases)
        {
            await (lease?.DisposeAsync() ?? default);
        }
    }

    [Fact]
    public async Task A_segment_whose_maker_died_before_its_header_is_taken_over()
    {
        await using (LogHarness first = await LogHarness.StartAsync(await OpenAsync()))
        {
            await first.AppendAsync([1]);
        }

        Assert.NotNull(await Container().TryMakeAsync("bank/log/0000000002.seg"));
        Assert.True(await Container().TakeAsync("bank/log/0000000002.seg", Guid.NewGuid().ToString()));
        await using LogHarness second = await LogHarness.StartAsync(await OpenAsync());
        Assert.Equal(new Epoch(2), second.Start.Epoch);
        await second.AppendAsync([2]);
        Assert.Equal(2, (await LogHarness.ReadAllAsync(second.Log, Lsn.None)).Count);
    }

    [Fact]
    public async Task What_a_dying_writer_left_of_a_record_is_cut_kept_for_people_and_never_read()
    {
        await using (LogHarness first = await LogHarness.StartAsync(await OpenAsync()))
        {
            await first.AppendAsync([1]);
        }

        const string name = "bank/log/0000000001.seg";
        string mark = Guid.NewGuid().ToString();
        Assert.True(await Container().TakeAsync(name, mark));
        byte[] torn = new byte[RecordHeader.Size + 3];
        Random.Shared.NextBytes(torn);
        await Container().AppendBlob(name).AppendBlockAsync(new MemoryStream(torn), new AppendBlobAppendBlockOptions
            { Conditions = new AppendBlobRequestConditions { LeaseId = mark } });
        await using LogHarness second = await LogHarness.StartAsync(await OpenAsync());
        Assert.Equal(torn.Length, second.Start.TornBytes);
        await second.AppendAsync([2]);
        await using WriteAheadLog view = await OpenAsync();
        Assert.Equal(2, (await LogHarness.ReadAllAsync(view, Lsn.None, Read.ReadLimit.Everything)).Count);
        byte[] kept = new byte[torn.Length];
        Assert.Equal(torn.Length, await Container().ReadAsync("bank/kept/0000000001.broken", kept, 0));
        Assert.Equal(torn, kept);
    }

    [Fact]
    public async Task A_blob_that_is_removed_while_it_is_written_ends_the_writer_for_good_and_its_records_are_named()
    {
        var fatal = new RecordingFatal();
        LogHarness writer = await LogHarness.StartAsync(await OpenAsync(fatal: fatal));
        await writer.AppendAsync([1]);
        await RemoveAsync("bank/log/0000000001.seg");
        await writer.PublishAsync([2]);
        (int code, string line) = await fatal.Died.WaitAsync(Patience.Time);
        Assert.Equal((int)ExitCode.StoreDamaged, code);
        Assert.StartsWith("IC-2036 the store has forgotten records that it had confirmed: LSN 1 to 1 | ", line, StringComparison.Ordinal);
        await writer.DisposeAsync();
    }

    [Fact] // It appends nothing, so only the renewal of its lease notices.
    public async Task An_idle_writer_whose_last_records_and_lease_the_service_has_forgotten_ends_for_good()
    {
        const string name = "bank/log/0000000001.seg";
        var fatal = new RecordingFatal();
        LogHarness writer = await LogHarness.StartAsync(await OpenAsync(fatal: fatal));
        await writer.AppendAsync([1]);
        byte[] older = new byte[(await Container().LookAsync(name))!.ContentLength];
        Assert.Equal(older.Length, await Container().ReadAsync(name, older, 0));
        await writer.AppendAsync([2]);
        await RemoveAsync(name);
        Assert.NotNull(await Container().TryMakeAsync(name));
        await Container().AppendBlob(name).AppendBlockAsync(new MemoryStream(older));
        await EndLeaseAsync();
        var lost = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using CancellationTokenRegistration told = writer.Lease.Lost.Register(lost.SetResult);
        await lost.Task.WaitAsync(Patience.Time);
        LogStoreException reason = await Assert.ThrowsAnyAsync<LogStoreException>(async () => await writer.Lease.VerifyAsync());
        Assert.Equal("IC-2036", reason.Code);
        Assert.Contains($"it holds {older.Length} bytes of ", reason.Message, StringComparison.Ordinal);
        await writer.DisposeAsync();
    }

    [Fact]
    public async Task Bytes_of_another_are_not_taken_for_ours_because_there_are_as_many()
    {
        const string name = "bank/log/0000000001.seg";
        var fatal = new RecordingFatal();
        LogHarness writer = await LogHarness.StartAsync(await OpenAsync(fatal: fatal));
        long before = (await Container().LookAsync(name))!.ContentLength;
        await writer.AppendAsync([1]);
        long after = (await Container().LookAsync(name))!.ContentLength;
        string mark = (await Container().LookAsync("bank/manifest.0"))!.Metadata["writer"];
        await Container().AppendBlob(name).AppendBlockAsync(new MemoryStream(new byte[after - before]), new AppendBlobAppendBlockOptions
            { Conditions = new AppendBlobRequestConditions { LeaseId = mark } });
        await writer.PublishAsync([2]);
        (_, string line) = await fatal.Died.WaitAsync(Patience.Time);
        Assert.StartsWith("IC-2031", line, StringComparison.Ordinal);
        Assert.Equal(new Lsn(1), writer.Appender.DurableLsn);
        await writer.DisposeAsync();
    }

    [Fact]
    public async Task A_lease_of_an_empty_blob_is_ended_and_taken_only_if_nothing_was_done_to_it_since()
    {
        await Container().PrepareAsync();
        global::Azure.ETag empty = (await Container().TryMakeAsync("bank/some"))!.Value;
        string first = Guid.NewGuid().ToString();
        Assert.True(await Container().TryLeaseAsync("bank/some", first, empty));
        Assert.False(await Container().TryLeaseAsync("bank/some", Guid.NewGuid().ToString(), empty)); // It is another's.
        Assert.True(await Container().ReleaseAnyAsync("bank/some", empty)); // Leasing changed no mark.
        Assert.True(await Container().TryLeaseAsync("bank/some", first, empty));
        await Container().AppendBlob("bank/some").AppendBlockAsync(new MemoryStream([1]), new AppendBlobAppendBlockOptions
            { Conditions = new AppendBlobRequestConditions { LeaseId = first } });
        Assert.False(await Container().ReleaseAnyAsync("bank/some", empty));
        Assert.True(await Container().ReleaseAnyAsync("bank/some"));
        Assert.False(await Container().TryLeaseAsync("bank/some", first, empty));
    }

    [Fact]
    public async Task A_segment_ends_before_its_blob_takes_no_more_appends()
    {
        IReadOnlyList<IStoreProvider> few = [new AzureBlobStores(AzureWorld.WithKey) { MostAppends = 10 }];
        await using LogHarness writer = await LogHarness.StartAsync(
            await LogStores.OpenLogAsync(_uri, "bank", new LogStoreOptions(), AzureWorld.Environment(stores: few)));
        for (int i = 0; i < 45; i++)
        {
            await writer.AppendAsync(BitConverter.GetBytes(i));
        }

        Assert.Equal(5, writer.Log.Segments.Count); // Nine records and a header in each.
        Assert.Equal(Enumerable.Range(0, 45), (await LogHarness.ReadAllAsync(writer.Log, Lsn.None))
            .Select(static record => BitConverter.ToInt32(record.Body)));
    }

    private static async Task RequireChangesNothingAsync(LogHarness old)
    {
        ILogStorage storage = old.Log.Storage;
        await Assert.ThrowsAsync<LeaseLostException>(async () => await storage.WriteManifestAsync(0, new byte[8]));
        await Assert.ThrowsAsync<LeaseLostException>(async () => await storage.WriteManifestAsync(1, new byte[8]));
        await Assert.ThrowsAsync<LeaseLostException>(async () => await storage.CreateCheckpointAsync(new Lsn(1)));
        await Assert.ThrowsAsync<LeaseLostException>(async () => await storage.DeleteSegmentAsync(1));
        await Assert.ThrowsAsync<LeaseLostException>(async () => await storage.OpenSegmentAsync(2, writable: true));
        await Assert.ThrowsAsync<LeaseLostException>(async () => await storage.CreateSegmentAsync(2, new byte[8]));
    }

    /// <summary>What the service does when the time is over.</summary>
    private async Task EndLeaseAsync() => await Container().ReleaseAnyAsync("bank/lock");

    /// <summary>Removes a blob past everybody, as a person can.</summary>
    private async Task RemoveAsync(string name)
    {
        await Container().ReleaseAnyAsync(name);
        await Container().RemoveOwnAsync(name);
    }

    private async Task<string> SegmentsAsync() => string.Join(' ', (await Container().ListAsync("bank/log/"))
        .Select(static item => string.Create(CultureInfo.InvariantCulture, $"{item.Name}:{item.Properties.ContentLength}")));

    private BlobContainer Container() => AzureWorld.Container(_uri);

    private ValueTask<WriteAheadLog> OpenAsync(RecordingFatal? fatal = null, int? port = null) => LogStores.OpenLogAsync(
        port is null ? _uri : _uri.Replace($":{azurite.BlobPort}/", $":{port}/", StringComparison.Ordinal), "bank", new LogStoreOptions(),
        AzureWorld.Environment(fatal));
}
