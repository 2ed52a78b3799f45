using Ambrosia.Protocol;

namespace Ambrosia.Link;

/// <summary>Receives what the coordinator sends, in order, on the thread that reads.</summary>
internal interface ILinkMessages
{
    /// <summary>True to stop reading after the present message: something must be sent or awaited first.</summary>
    bool ShouldPause { get; }

    /// <summary>A message outside of any record. The bytes are valid during the call only.</summary>
    void OnControl(BindingMessageType type, ReadOnlySpan<byte> data);

    /// <summary>A record begins.</summary>
    void OnRecord(in RecordInfo record);

    /// <summary>The next RPC of the present record, in delivery form. The bytes are valid during the call only.</summary>
    void OnRpc(ReadOnlySpan<byte> data);

    /// <summary>The present record is complete.</summary>
    void OnRecordEnd();

    /// <summary>A whole checkpoint has come; the receiver disposes it.</summary>
    void OnCheckpoint(ChunkedBuffer checkpoint);
}
