using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>What the generator makes of an interface with [Encoding(Json)], for its callers.</summary>
public sealed class GreeterProxy : ImmortalProxy
{
    public DurableTask<string> GreetAsync(string name, int times)
    {
        OutgoingCall call = BeginJson();
        call.Arguments.WriteArrayHeader(2);
        call.Arguments.WriteString(name);
        call.Arguments.WriteInt64(times);
        return EndJsonCall<string, StringFormatter>(ref call, 1, "name", "times");
    }

    public void SendFork(byte[] bytes)
    {
        OutgoingCall call = BeginJson();
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteBinary(bytes);
        EndJsonFork(ref call, 2, "bytes");
    }

    public Task SendImpulse(byte[] bytes, string name)
    {
        OutgoingCall call = BeginImpulse(2, 8);
        call.Arguments.WriteArrayHeader(2);
        call.Arguments.WriteInt64(bytes.Length);
        call.Arguments.WriteString(name);
        return EndJsonImpulse(ref call, "length", "name");
    }

    public void NothingFork()
    {
        OutgoingCall call = BeginJson();
        call.Arguments.WriteArrayHeader(0);
        EndJsonFork(ref call, 3);
    }
}
