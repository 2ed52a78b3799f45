using Ambrosia.Runtime;

namespace Ambrosia.DurableScenarios;

/// <summary>A call whose reply, or failure, is part of the request.</summary>
public sealed class TestCall<T>(T reply, string? error) : PendingCall<T>, ITestCall
{
    public override void Complete(ReadOnlySpan<byte> value) => TryComplete(reply);

    void ITestCall.Deliver(World world)
    {
        world.Trace.Add($"reply {Number}");
        if (error is null)
        {
            Complete([]);
        }
        else
        {
            Fail(new InvalidOperationException(error));
        }
    }
}
