using Ambrosia.TimeTravel.Tests.Apps;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>Where the test's own threads reach an improvised app, once it acts.</summary>
public sealed class ImprovisedDoor
{
    private readonly TaskCompletionSource<ImprovisedProxy> _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public Task<ImprovisedProxy> App => _open.Task;

    public void Open(ImprovisedProxy self) => _open.TrySetResult(self);
}
