using Ambrosia.CSharpBinding.Tests.Durable;
using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

/// <summary>Takes the calls of sagas; the test answers them.</summary>
internal sealed class FakeSagaRuntime : ISagaRuntime
{
    public FakeSagaRuntime() => Turn = new Turn { Owner = this, Timers = Timers };

    public Turn Turn { get; }

    public FakeTimers Timers { get; } = new();

    public SagaTable Sagas { get; } = new();

    public List<VoidPendingCall> Calls { get; } = [];

    /// <summary>Destination and method of each call.</summary>
    public List<string> Asked { get; } = [];

    EffectTable ISagaRuntime.Effects => throw new NotSupportedException();

    public DurableCell Call(string destination, int methodId, byte[] arguments)
    {
        var call = new VoidPendingCall();
        Calls.Add(call);
        Asked.Add($"{destination} {methodId}");
        return call;
    }
}
