using Ambrosia;
using Microsoft.Extensions.DependencyInjection;

namespace TimeTravelApp;

/// <summary>Where a test reaches a dice that runs in its process, once that acts.</summary>
public sealed class DiceDoor
{
    private readonly TaskCompletionSource<DiceProxy> _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<DiceProxy> Dice => _open.Task;

    public static void Open(ImmortalContext context, DiceProxy self) => context.Services?.GetService<DiceDoor>()?._open.TrySetResult(self);
}
