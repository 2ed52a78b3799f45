using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;

namespace Ambrosia.TimeTravel.Log;

/// <summary>One message of a log.</summary>
/// <param name="record">The record that holds it.</param>
/// <param name="index">Its index there.</param>
public readonly struct LoggedMessage(LoggedRecord record, int index)
{
    /// <summary>Where it stands.</summary>
    public Position Position => new(record.Lsn, index);

    /// <summary>The record that holds it.</summary>
    public LoggedRecord Record => record;

    /// <summary>When it was logged.</summary>
    public DateTimeOffset Time => record.Time;

    /// <summary>Instance that sent it; the instance itself for its own calls and for impulses.</summary>
    public string From => record.SenderOf(index);

    /// <summary>Its header and its arguments.</summary>
    public RpcHeader Rpc => RpcHeader.Read(Data);

    /// <summary>Id of the method that it calls, or answers.</summary>
    public int MethodId => Rpc.MethodId;

    /// <summary>Arguments, value or exception.</summary>
    public ReadOnlySpan<byte> Body => Rpc.Body;

    /// <summary>Bytes as they travel, size and type in front.</summary>
    public ReadOnlyMemory<byte> Framed => record.Framed(index);

    /// <summary>What it is.</summary>
    public MessageKind Kind => CallText.KindOf(Rpc);

    private ReadOnlySpan<byte> Data
    {
        get
        {
            ReadOnlySpan<byte> framed = record.Framed(index).Span;
            Varint.TryReadZigZag(framed, out _, out int prefix);
            return framed[(prefix + 1)..];
        }
    }
}
