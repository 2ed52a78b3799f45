using System.Diagnostics;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives;

namespace Ambrosia.ImmortalCoordinator.Tests.Ingest;

public sealed class RecordSinkTests
{
    [Fact] // It was thrown in a posted callback, where nobody can catch it: it ended the process, which may be an app's own.
    public async Task A_broken_invariant_ends_the_instance_and_no_later_record_is_handed_out()
    {
        await using WriteAheadLog log = await LogStores.OpenLogAsync("memory:", "bank", new LogStoreOptions(), new LogStoreEnvironment());
        await using ILogLease lease = (await log.TryAcquireAsync())!;
        await log.BecomeWriterAsync(lease);
        var loops = new CoreLoops(CancellationToken.None);
        var core = new Posted();
        var taken = new List<Lsn>();
        LogAppender appender = log.StartAppending(new RecordSink(core, new PendingMarks(new CoreLimits()), loops.Do, record =>
        {
            using (record)
            {
                taken.Add(record.Record.Header.Lsn);
            }

            if (taken.Count == 2)
            {
                throw new UnreachableException("accepted < durable");
            }
        }));
        for (int i = 0; i < 4; i++)
        {
            Assert.True(appender.TryReserve(10, out PageReservation room));
            room.Span.Fill(0xEE);
            room.Publish();
            await appender.FlushAsync().OrFail();
            core.Run();
        }

        Assert.Equal("accepted < durable", (await loops.Failed.OrFail()).Message);
        Assert.Equal([1UL, 2UL], taken.Select(static lsn => lsn.Value));
    }

    // The core's thread, which is this one.
    private sealed class Posted : SynchronizationContext
    {
        private readonly System.Collections.Concurrent.ConcurrentQueue<(SendOrPostCallback Callback, object? State)> _posted = new();

        public override void Post(SendOrPostCallback d, object? state) => _posted.Enqueue((d, state));

        public void Run()
        {
            while (_posted.TryDequeue(out (SendOrPostCallback Callback, object? State) next))
            {
                next.Callback(next.State);
            }
        }
    }
}
