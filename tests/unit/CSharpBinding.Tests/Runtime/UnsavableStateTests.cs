using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>What an app that acts does when its state cannot be saved for a while.</summary>
public sealed class UnsavableStateTests : IAsyncDisposable
{
    private readonly ScriptedCoordinator _coordinator = new(static () => new Hoarder());

    [Fact]
    public async Task A_state_that_cannot_be_saved_now_is_declined_with_its_reason_and_saved_when_it_can_be()
    {
        await _coordinator.StartFirstAsync();
        int before = _coordinator.Checkpoints.Count;
        await _coordinator.DeliverAsync(DispatchTests.Note(-1));
        await _coordinator.SendAsync(TestMessage.Frame(BindingMessageType.TakeCheckpoint, []));
        await _coordinator.UntilAsync(() => _coordinator.Declined.Count == 1, "answer");
        Assert.Contains("MemoryStream", _coordinator.Declined[0], StringComparison.Ordinal);
        Assert.Equal(before, _coordinator.Checkpoints.Count);

        await _coordinator.DeliverAsync(DispatchTests.Note(1));
        await _coordinator.CheckpointAsync();
        Assert.Single(_coordinator.Declined);
        await _coordinator.KillAsync();
        await _coordinator.RecoverAsync();
        Assert.Equal([-1, 1], ((Counter)_coordinator.Immortal!).Notes);
    }

    public ValueTask DisposeAsync() => _coordinator.DisposeAsync();

    private sealed class Hoarder : Counter
    {
        public object? Held { get; private set; }

        public override DurableTask Note(int value)
        {
            Held = value < 0 ? new MemoryStream() : null;
            return base.Note(value);
        }
    }
}
