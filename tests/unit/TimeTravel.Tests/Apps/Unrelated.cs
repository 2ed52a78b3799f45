namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Has a counter's methods, and another state.</summary>
public sealed class Unrelated : CounterBase
{
    public override DurableTask<long> Count(string name, long by) => by;

    public override DurableTask<long> Twice(string name, long by) => by;

    public override DurableTask Report(string text) => default;

    public override DurableTask Alarm(string text) => default;

    public override DurableTask Tick(string name, long by) => default;
}
