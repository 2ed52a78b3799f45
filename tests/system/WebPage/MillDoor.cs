using Ambrosia;
using Microsoft.Extensions.DependencyInjection;

namespace WebPage;

/// <summary>Where the program reaches the mill, once it acts.</summary>
public sealed class MillDoor
{
    private readonly TaskCompletionSource<MillProxy> _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<MillProxy> Mill => _open.Task;

    public static void Open(ImmortalContext context, MillProxy self) => context.Services?.GetService<MillDoor>()?._open.TrySetResult(self);
}
