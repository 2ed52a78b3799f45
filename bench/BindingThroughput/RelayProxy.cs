using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.Bench;

/// <summary>Written as the generator would.</summary>
internal sealed class RelayProxy : ImmortalProxy
{
    public void SendFork(ReadOnlySpan<byte> payload)
    {
        OutgoingCall call = BeginFork(1, payload.Length + 6);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteBinary(payload);
        EndFork(ref call);
    }

    public DurableTask<long> AskAsync(long value)
    {
        OutgoingCall call = BeginCall(2, 10);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(value);
        return EndCall<long, Int64Formatter>(ref call);
    }
}
