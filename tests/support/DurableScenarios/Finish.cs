using Ambrosia.Runtime;

namespace Ambrosia.DurableScenarios;

/// <summary>Notes how a scenario ended.</summary>
public sealed class Finish(World world) : ReplyContinuation
{
    public override void Invoke(DurableCell completed) =>
        world.Result = completed.Error is { } error ? $"{error.GetType().Name}: {error.Message}"
        : ((DurableCell<string>)completed).GetResult();
}
