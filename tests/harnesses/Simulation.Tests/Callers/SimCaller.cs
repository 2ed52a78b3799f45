using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Outside;
using Ambrosia.Protocol;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// Somebody outside, who calls instances and asks on until there is a last word: the process that it has asked dies, stands still, is
/// replaced, or no longer acts.
/// </summary>
internal sealed class SimCaller(SimWorld world, List<SimNode> nodes, int number)
{
    private static readonly WalkerMethods s_methods = WalkerMethods.Find();
    private readonly VirtualProcess _process = new(world.Loop, null);
    private readonly ScriptedMessages _messages = new(world.Workload);
    private readonly Dictionary<string, SortedSet<ulong>> _open = [];
    private readonly List<OutsideErrand> _begun = [];
    private readonly string _name = $"caller {number % 2}"; // Two may share a name.
    private int _asking;
    private ulong _next;
    private bool _isHealed;

    /// <summary>Has the last word on everything.</summary>
    public bool IsIdle => _asking == 0;

    private CallerPlan Plan => world.Callers;

    /// <summary>Nothing goes wrong any more, and nothing new is begun.</summary>
    public void Heal() => _isHealed = true;

    /// <summary>Begins a call, unless there are enough.</summary>
    public void Begin()
    {
        if (_asking >= Plan.Most)
        {
            return;
        }

        SimNode node = nodes[Plan.Random.Next(nodes.Count)];
        ulong n = ++_next;
        ulong id = Bits.Mix(0x0075_1DE, (ulong)number << 32 | n);
        OutsideKey? key = Plan.Is(Plan.WithoutKeyOneIn) ? null : Plan.IsNumbered ? Numbered(node.Name, n)
            : new OutsideKey(_name, KeyHash.Of($"{number}/{n}"), Born());
        if (key is { } own && !Plan.IsNumbered && _begun.Count > 0 && Plan.Is(Plan.LieOneIn))
        {
            OutsideErrand other = _begun[Plan.Random.Next(_begun.Count)];
            node = nodes.Find(each => each.Name == other.Instance)!;
            key = other.Key ?? own;
        }

        OutsideErrand errand = world.Oracle.Outside.Begins(node.Name, id, key);
        _begun.Add(errand);
        Ask(node, errand);
        if (key is not null && Plan.Is(Plan.CopyOneIn))
        {
            Ask(node, errand);
        }
    }

    public string Describe() => $"{_name} asks for {_asking} calls";

    private ulong Born() => (ulong)(world.Loop.Now / TimeSpan.TicksPerMillisecond) + 1;

    // One session for each instance: born with the caller, and done with everything that is not open.
    private OutsideKey Numbered(string instance, ulong n)
    {
        SortedSet<ulong> open = _open.TryGetValue(instance, out SortedSet<ulong>? known) ? known : _open[instance] = [];
        ulong low = open.Count > 0 ? open.Min - 1 : n - 1;
        open.Add(n);
        return new OutsideKey(_name, KeyHash.Of($"session {number}"), 1, n, low);
    }

    private void Ask(SimNode node, OutsideErrand errand)
    {
        _asking++;
        _ = _process.Start(_name, () => AskOnAsync(node, errand));
    }

    private async Task AskOnAsync(SimNode node, OutsideErrand errand)
    {
        try
        {
            do
            {
                await UntilLastWordAsync(node, errand);
            }
            while (errand is { Key: not null, Told: not null } && !_isHealed && Plan.Is(Plan.RepeatOneIn));
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            world.Oracle.Require(false, $"{_name} failed: {error}");
        }

        _asking--;
        if (errand.Key is { } key && _open.TryGetValue(errand.Instance, out SortedSet<ulong>? open))
        {
            open.Remove(key.N);
        }
    }

    private async Task UntilLastWordAsync(SimNode node, OutsideErrand errand)
    {
        var call = new OutsideSubmission(errand.Key, s_methods.Ask, _messages.Arguments(errand.Id, Plan.Depth), errand.Id);
        while (true)
        {
            AskingMode mode = errand.Key is null ? AskingMode.Call : Plan.DrawMode();
            bool wasKnown = errand.IsCertain;
            OutsideReply? reply = await TryAsync(node, call, mode);
            bool isOver = reply is { } told && world.Oracle.Outside.Told(errand, told, wasKnown, mode == AskingMode.Look);
            // Without a key none may try again; and a caller whose share is used up may have to wait for long.
            if (isOver || errand.Key is null || (_isHealed && reply is { Kind: OutsideReplyKind.Full or OutsideReplyKind.Future }))
            {
                return;
            }

            await Task.Delay(Plan.DrawPause(), _process.Time);
        }
    }

    private async Task<OutsideReply?> TryAsync(SimNode node, OutsideSubmission call, AskingMode mode)
    {
        SimReplica? replica = Plan.Is(6) ? node.Pick(Plan.Random) : node.Acting;
        if (replica is not { CoordinatorAlive: true, Core: { } core })
        {
            return null;
        }

        using var patience = new CancellationTokenSource(Plan.DrawPatience(), _process.Time);
        try
        {
            return await (mode switch
            {
                AskingMode.Send => core.Outside.SendAsync(call, patience.Token),
                AskingMode.Look => core.Outside.LookAsync(call.Key!.Value, patience.Token),
                _ => core.Outside.CallAsync(call, patience.Token),
            });
        }
        catch (OperationCanceledException)
        {
            world.Report.Sometimes(Sighting.OutsideGivenUp);
            return null;
        }
    }
}
