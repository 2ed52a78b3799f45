using System.IO.Pipelines;
using Ambrosia.Coordinator.Records;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Delivery;

/// <summary>How what goes to the app is framed: version 2, or the published protocol's records on the legacy port pair.</summary>
internal interface IAppFraming
{
    /// <summary>A log record: its announcement and its payload, whose marks name the senders of the messages.</summary>
    void WriteRecord(PipeWriter output, RecordInfo info, ReadOnlyMemory<byte> payload, RecordMarks marks);

    /// <summary>A message of the coordinator's own.</summary>
    void WriteControl(PipeWriter output, BindingMessageType type, ReadOnlySpan<byte> data = default);

    /// <summary>Announces a checkpoint of this many bytes, which follow raw.</summary>
    void WriteCheckpointHeader(PipeWriter output, long size);
}
