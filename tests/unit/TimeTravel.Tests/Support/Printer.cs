using System.Collections.Concurrent;
using Ambrosia.TimeTravel.Tests.Apps;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>Prints nothing, and counts.</summary>
internal sealed class Printer : IReceipts
{
    private readonly TaskCompletionSource _all = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends when there is a receipt for each sale.</summary>
    public Task All => _all.Task;

    public ConcurrentQueue<string> Printed { get; } = new();

    public Task<string> Print(string what, int copies, EffectContext effect)
    {
        Printed.Enqueue(effect.Id);
        _ = Printed.Count == KioskLog.Sales && _all.TrySetResult();
        return Task.FromResult($"{copies} of {what}");
    }

    public Task Open(EffectContext effect) => Task.CompletedTask;
}
