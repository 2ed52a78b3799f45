using Ambrosia.TimeTravel.Tests.Apps;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>Where the test's own threads reach the counter, once it acts.</summary>
public sealed class CounterDoor
{
    private readonly TaskCompletionSource<CounterProxy> _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<CounterProxy> Counter => _open.Task;

    public static void Open(ImmortalContext context, CounterProxy self) =>
        context.Services?.GetService<CounterDoor>()?._open.TrySetResult(self);
}
