using System.IO.Pipelines;
using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Application;

/// <summary>Records as bindings of the published protocol see them.</summary>
public sealed class LegacyFramingTests
{
    private static readonly byte[] s_fork = [8, 0, 0, 2, 1];

    [Fact] // A binding of the original stops at a gap, and LSNs have gaps: records without messages are not delivered.
    public async Task Ids_of_records_follow_each_other_whatever_their_LSNs_are()
    {
        var pipe = new Pipe();
        var framing = new LegacyFraming(7, "bank");
        foreach (ulong lsn in new ulong[] { 5, 7, 12 })
        {
            framing.WriteRecord(pipe.Writer, new RecordInfo(lsn, 1, 0, 1, s_fork.Length, 0), s_fork, new RecordTrailer());
            framing.WriteControl(pipe.Writer, BindingMessageType.TakeCheckpoint);
        }

        await pipe.Writer.CompleteAsync();
        List<long> ids = [];
        while (await pipe.Reader.ReadAtLeastAsync(LogRecordHeader.Size) is { Buffer.IsEmpty: false } result)
        {
            LogRecordHeader header =
                LogRecordHeader.Read(System.Buffers.BuffersExtensions.ToArray(result.Buffer.Slice(0, LogRecordHeader.Size)));
            ids.Add(header.RecordId);
            pipe.Reader.AdvanceTo(result.Buffer.GetPosition(header.RecordSize));
        }

        Assert.Equal([1, -1, 2, -1, 3, -1], ids);
    }
}
