using Ambrosia.Runtime;
using Ambrosia.Serialization;


namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>What the generator would make, written by hand.</summary>
public sealed class CounterProxy : ImmortalProxy
{
    public DurableTask<int> AddAsync(int amount)
    {
        OutgoingCall call = BeginCall(1, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(amount);
        return EndCall<int, Int32Formatter>(ref call);
    }

    public DurableTask<string> EchoAsync(string text)
    {
        OutgoingCall call = BeginCall(20, 8);
        call.Arguments.WriteArrayHeader(1);
        default(StringFormatter).Write(ref call.Arguments, text);
        return EndCall<string, StringFormatter>(ref call);
    }

    public DurableTask NoteAsync(int value)
    {
        OutgoingCall call = BeginCall(3, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(value);
        return EndCall(ref call);
    }

    public void NoteFork(int value)
    {
        OutgoingCall call = BeginFork(3, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(value);
        EndFork(ref call);
    }

    public void BlobFork(ReadOnlySpan<byte> bytes, int sizeHint = 8)
    {
        OutgoingCall call = BeginFork(21, sizeHint);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteBinary(bytes);
        EndFork(ref call);
    }

    public void TextFork(string text)
    {
        OutgoingCall call = BeginFork(22, 8);
        call.Arguments.WriteArrayHeader(1);
        default(StringFormatter).Write(ref call.Arguments, text);
        EndFork(ref call);
    }

    public void ChainFork(int count)
    {
        OutgoingCall call = BeginFork(8, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(count);
        EndFork(ref call);
    }

    public Task<int> PokeImpulse(int value)
    {
        OutgoingCall call = BeginImpulse(7, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(value);
        return EndImpulse<int, Int32Formatter>(ref call);
    }

    public Task NapImpulse(int milliseconds)
    {
        OutgoingCall call = BeginImpulse(4, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(milliseconds);
        return EndImpulse(ref call);
    }

    public Task NoteImpulse(int value)
    {
        OutgoingCall call = BeginImpulse(3, 8);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(value);
        return EndImpulse(ref call);
    }
}
