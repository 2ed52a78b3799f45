using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>Says what an immortal waits for, from its tables and without changing them (docs/internals/protocol.md 5.8).</summary>
internal static class WaitingReport
{
    private const int MostWaiters = 64; // One waits for the next; more than that nobody reads.
    private const int MostNames = 5;

    /// <summary>What it waits for now, between two turns.</summary>
    public static WaitingTold Of(ImmortalRuntime runtime)
    {
        var calls = new OldestOf<(IPendingCall Call, CallNote Note)>(WaitingTold.Most);
        var awakeables = new OldestOf<(IPendingAwakeable Call, CallNote Note)>(WaitingTold.Most);
        foreach ((IPendingCall call, CallNote note) in runtime.PendingCalls.WithNotes())
        {
            if (call is IPendingAwakeable awakeable)
            {
                awakeables.Add(call.Number, (awakeable, note));
            }
            else
            {
                calls.Add(call.Number, (call, note));
            }
        }

        return new WaitingTold
        {
            CallCount = calls.Count,
            Calls = [.. calls.InOrder().Select(each => Describe(runtime, each.Call, each.Note))],
            AwakeableCount = awakeables.Count,
            Awakeables = [.. awakeables.InOrder().Select(static each => Describe(each.Call, each.Note))],
            TimerCount = runtime.Timers.Count,
            Timers = [.. runtime.Timers.Pending.Take(WaitingTold.Most).Select(static timer =>
                new WaitingTimer(timer.Id, timer.Deadline.UtcTicks, NameOfWaiter(timer)))],
        };
    }

    private static WaitingCall Describe(ImmortalRuntime runtime, IPendingCall call, in CallNote note) => new(
        call.Number, note.Destination ?? "", note.MethodId, MethodOf(runtime, note.MethodId), new MessagePosition(note.Lsn, note.Index),
        note.LogTicks, NameOfWaiter(call as DurableCell));

    // Never its id, which is all that completes it.
    private static WaitingAwakeable Describe(IPendingAwakeable awakeable, in CallNote note) => new(
        awakeable.Number, EffectMethodTold.Clean(awakeable.TypeName), awakeable.Deadline?.UtcTicks ?? 0,
        new MessagePosition(note.Lsn, note.Index), note.LogTicks, NameOfWaiter(awakeable as DurableCell));

    // Ids are hashes of signatures: one of the own interface has the same name elsewhere. Others the coordinator may know.
    private static string MethodOf(ImmortalRuntime runtime, int id) =>
        EffectMethodTold.Clean(runtime.Immortal.GetContract().Methods.FirstOrDefault(method => method.Id == id)?.Name ?? "");

    // The suspended methods, from the handler to the one that awaits, as "Transfer > Withdraw".
    private static string NameOfWaiter(DurableCell? cell)
    {
        var names = new List<string>();
        DurableWaiter? waiter = cell?.FirstWaiter;
        for (int i = 0; waiter is not null && i < MostWaiters && names.Count < MostNames; i++)
        {
            if (waiter.Code is { } code && GeneratedName.MethodOf(code.Name) is { Length: > 0 } name)
            {
                names.Add(name);
            }

            waiter = (waiter as DurableCell)?.FirstWaiter;
        }

        names.Reverse();
        return EffectMethodTold.Clean(string.Join(" > ", names));
    }
}
