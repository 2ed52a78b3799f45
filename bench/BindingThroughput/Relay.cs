using System.Buffers.Binary;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.Bench;

/// <summary>Sends on every message it gets: one dispatch and one fork, or one call and its reply, per message. Written as the generator
/// would.</summary>
internal sealed class Relay : Immortal
{
    private static readonly ImmortalContract s_contract = new("Bench.IRelay", "", []);
    private RelayProxy? _next;
    private long _received;

    protected override ImmortalContract Contract => s_contract;

    public long Received => _received;

    protected override void Dispatch(ref IncomingCall call)
    {
        MessagePackReader arguments = call.Arguments;
        arguments.ReadArrayHeader(1);
        ReadOnlySpan<byte> payload = arguments.ReadBinary();
        _received++;
        _next ??= Proxy<RelayProxy>("next");
        switch (call.MethodId)
        {
            case 1:
                _next.SendFork(payload);
                call.Complete(default(DurableTask));
                break;
            case 2:
                call.Complete<long, Int64Formatter>(AskAsync(BinaryPrimitives.ReadInt64LittleEndian(payload)));
                break;
            case 3:
                call.Complete<long, Int64Formatter>(_received);
                break;
            default:
                call.UnknownMethod();
                break;
        }
    }

    private async DurableTask<long> AskAsync(long value) => value + await _next!.AskAsync(value);
}
