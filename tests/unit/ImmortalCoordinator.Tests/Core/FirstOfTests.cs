using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Threading;

namespace Ambrosia.ImmortalCoordinator.Tests.Core;

public sealed class FirstOfTests
{
    [Fact]
    public async Task What_has_failed_is_not_waited_for()
    {
        var failing = new TaskCompletionSource();
        Task waits = FirstOf.OrCancelAsync(failing.Task, CancellationToken.None);
        Assert.False(waits.IsCompleted);
        failing.SetException(new InvalidOperationException());
        await Assert.ThrowsAsync<InvalidOperationException>(() => waits.OrFail());
        await FirstOf.EndsAsync(failing.Task, new TaskCompletionSource().Task).OrFail();
    }
}
