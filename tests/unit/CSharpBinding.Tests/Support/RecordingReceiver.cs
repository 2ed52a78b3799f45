using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>Writes down what the reader gives.</summary>
internal sealed class RecordingReceiver : ILinkMessages
{
    public List<string> Seen { get; } = [];

    public bool ShouldPause => false;

    public void OnControl(BindingMessageType type, ReadOnlySpan<byte> data) => Seen.Add($"{type} {Convert.ToHexString(data)}");

    public void OnRecord(in RecordInfo record) => Seen.Add(record.ToString());

    public void OnRpc(ReadOnlySpan<byte> data) => Seen.Add($"rpc {Convert.ToHexString(data)}");

    public void OnRecordEnd() => Seen.Add("end");

    public void OnCheckpoint(ChunkedBuffer checkpoint)
    {
        Seen.Add($"checkpoint {checkpoint.ToSequence().Length}");
        checkpoint.Dispose();
    }
}
