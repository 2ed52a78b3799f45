using System.Collections.Concurrent;
using Ambrosia.TimeTravel.Tests.Apps;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>Where the test's own threads reach the immortals of a world, once they act.</summary>
public sealed class Door
{
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);
    private readonly ConcurrentDictionary<string, TaskCompletionSource<LedgerProxy>> _open = new();

    public void Open(string instance, LedgerProxy self) => Of(instance).TrySetResult(self);

    public async Task<LedgerProxy> ToAsync(string instance) => await Of(instance).Task.WaitAsync(s_patience);

    private TaskCompletionSource<LedgerProxy> Of(string instance) =>
        _open.GetOrAdd(instance, static _ => new TaskCompletionSource<LedgerProxy>(TaskCreationOptions.RunContinuationsAsynchronously));
}
