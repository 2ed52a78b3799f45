using System.Diagnostics.CodeAnalysis;
using Ambrosia.Primitives;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// An immortal on the real binding that does everything an immortal can: calls that it awaits one by one, all together or the first of
/// several, nested and on itself, forks, timers, large messages, checkpoints, chance and time. Tells the oracle where it is and what it
/// got.
/// </summary>
[SuppressMessage("Ambrosia", "AMB123", Justification =
    "The oracle watches every execution, repeated ones as well; the immortal gets nothing from it that it would have to save.")]
public class Walker : WalkerBase
{
    private const int HashEvery = 7;
    private const int Kept = 16;
    private const int LargeFrom = 8 << 10;

    [NotSaved]
    private WalkerHost _host = null!;

    private DurableDictionary<ulong, ulong> _kept = [];
    private List<DurableTask<ulong>> _late = [];
    private ulong _hash;
    private long _turns;
    private byte[] _ballast = [];

    private Workload Workload => _host.Workload;

    /// <summary>One that tells this host what it does.</summary>
    internal static T Of<T>(WalkerHost host)
        where T : Walker, new()
    {
        var walker = new T();
        walker._host = host;
        return walker;
    }

    /// <summary>The same state in another version of the class.</summary>
    internal T As<T>()
        where T : Walker, new()
    {
        T walker = Of<T>(_host);
        (walker._kept, walker._late, walker._hash, walker._turns, walker._ballast) = (_kept, _late, _hash, _turns, _ballast);
        return walker;
    }

    /// <summary>Which version of the app this is.</summary>
    protected virtual int Version => 1;

    /// <summary>What of a call goes into the state.</summary>
    protected virtual ulong Counted(ulong id) => id;

    /// <summary>Calls, timers and effects that have not ended.</summary>
    public int Waiting => Runtime.PendingCalls.Count + Runtime.Timers.Count + Runtime.Effects.Count;

    public override DurableTask Walk(ulong id, int depth, byte[] load)
    {
        Enter(id, load);
        return StepsAsync(id, depth);
    }

    public override async DurableTask<ulong> Ask(ulong id, int depth, byte[] load)
    {
        Enter(id, load);
        await StepsAsync(id, depth);
        return Workload.IsRefused(id) ? throw new RefusedException($"{id}") : Workload.AnswerTo(id);
    }

    public override DurableTask Poke(ulong id, int depth, byte[] load)
    {
        Enter(id, load);
        return StepsAsync(id, depth);
    }

    /// <summary>An impulse from the outside world; called outside of turns, on the context that runs this app.</summary>
    public Task PokeAsync(string to, ulong id, int depth) => Send(id, load => To(to).PokeImpulse(id, depth, load));

    protected override DurableTask OnFirstStart()
    {
        _turns++;
        _ballast = new byte[Workload.Ballast]; // Makes checkpoints of several blocks.
        return StepsAsync(Bits.Hash(_host.Name), 3);
    }

    protected override void BecomingPrimary(ImmortalContext context) => _host.BecamePrimary(this);

    protected override void Dispatch(ref IncomingCall call)
    {
        TurnClock clock = Runtime.Clock;
        _host.Life.Reaches(clock.Lsn);
        if (!_host.Oracle.IsRightVersion(_host.Life, clock.Lsn, Version))
        {
            _host.Life.Deafen();
        }

        _host.Oracle.Require(!_host.Oracle.IsSkipped(_host.Name, clock.Position),
            $"{_host.Name}: {clock.Position} is executed although it was quarantined");
        int pending = Runtime.Effects.Count;
        _host.Oracle.Require(pending <= EffectPlan.MaxPending, $"{_host.Name}: {pending} effects are pending (E17)");
        _host.Oracle.State(_host.Name, clock.Lsn, clock.Index, 0, _hash);
        if ((clock.Lsn * 31 + (ulong)clock.Index) % HashEvery == 0)
        {
            object?[] roots = [this, Runtime.PendingCalls, Runtime.Timers.Save(), Runtime.FirstStart, Runtime.Effects.Save()];
            byte[] hash = StateHash.Compute(roots, Options);
            _host.Oracle.Print?.Invoke($"{_host.Name}: state at {clock.Lsn}:{clock.Index} {StateText.Of(roots)}");
            _host.Oracle.State(_host.Name, clock.Lsn, clock.Index, 1, BitConverter.ToUInt64(hash));
        }

        base.Dispatch(ref call);
    }

    private GraphOptions Options => GraphOptions.For(GetType(), new ProxyHandler(Runtime.Proxies));

    private void Enter(ulong id, byte[] load)
    {
        _turns++;
        _hash = Bits.Mix(_hash, Counted(id));
        if (load.Length > LargeFrom)
        {
            _host.Oracle.Sometimes(Sighting.LargeMessage);
        }

        _host.Oracle.Require(Workload.IsLoadOf(id, load), $"{_host.Name}: message {id} arrived with another load");
        if (_host.Poison.IsOn && !_host.Life.IsDeaf && _host.Poison.KillsAtBegin(_host.Life, id))
        {
            Fork(Bits.Mix(id, 501), 0); // Never to be seen by anybody.
            _host.Die();
        }
    }

    private async DurableTask StepsAsync(ulong id, int depth)
    {
        int steps = depth > 0 ? Workload.StepsOf(id) : 0;
        for (int i = 0; i < steps; i++)
        {
            await StepAsync(Bits.Mix(id, 100 + (ulong)i), Workload.StepOf(id, i), depth - 1);
        }
    }

    private DurableTask StepAsync(ulong id, WalkStep step, int depth)
    {
        if (_host.Effects.StepOf(id) is { } asked)
        {
            return _host.Errand(this, id, asked);
        }

        if (_host.Awakeables.Opens(id))
        {
            return AwakeableSteps.RunAsync(this, id);
        }

        switch (step)
        {
            case WalkStep.Fork:
                Fork(id, depth);
                return default;
            case WalkStep.ForkTwice:
                Fork(Bits.Mix(id, 1), depth);
                Fork(Bits.Mix(id, 2), depth);
                return default;
            case WalkStep.Ask:
                return AskAsync(id, Workload.DestinationOf(id), depth);
            case WalkStep.AskAll:
                return DurableTask.WhenAll(AskAsync(Bits.Mix(id, 1), Workload.DestinationOf(id), depth - 1),
                    AskAsync(Bits.Mix(id, 2), Workload.DestinationOf(id + 1), depth - 1));
            case WalkStep.AskAny:
                return AskAnyAsync(id, depth);
            case WalkStep.AskNested:
                return AskNestedAsync(id, depth);
            case WalkStep.AskOneself:
                return AskAsync(id, _host.Name, depth);
            case WalkStep.Wait:
                return WaitAsync(id);
            case WalkStep.AskInTime:
                return AskInTimeAsync(id, depth);
            case WalkStep.Checkpoint:
                TakeCheckpoint();
                return default;
            case WalkStep.Draw:
                _hash = Bits.Mix(_hash, (ulong)Random.NextInt64() ^ (ulong)LogTime.Ticks ^ BitConverter.ToUInt64(NewGuid().ToByteArray()));
                return default;
            default:
                _kept[id % Kept] = id;
                return default;
        }
    }

    private void Fork(ulong id, int depth) => Send(id, load =>
    {
        To(Workload.DestinationOf(id)).WalkFork(id, depth, load);
        return true;
    });

    private async DurableTask AskAsync(ulong id, string to, int depth)
    {
        Awaits(id);
        bool right;
        try
        {
            right = await Call(id, to, depth) == Workload.AnswerTo(id);
            DieOfAnswer(id);
        }
        catch (RemoteException skipped) when (skipped.RemoteType.EndsWith(nameof(MessageSkippedException), StringComparison.Ordinal))
        {
            right = IsSkipped(skipped.Message, to);
        }
        catch (RemoteException refusal)
        {
            _host.Oracle.Sometimes(Sighting.CallRefused);
            right = refusal.Message == $"{id}";
        }

        Resumed(id, right);
    }

    private async DurableTask AskAnyAsync(ulong id, int depth)
    {
        ulong one = Bits.Mix(id, 1), other = Bits.Mix(id, 2);
        Awaits(id);
        DurableTask<ulong> first = Call(one, Workload.DestinationOf(one), 0);
        DurableTask<ulong> second = Call(other, Workload.DestinationOf(other), depth - 1);
        _late.Add(second);
        DurableTask<ulong> winner = await DurableTask.WhenAny(first, second);
        Resumed(id, winner == first || winner == second);
        _late.Remove(second);
    }

    private async DurableTask AskNestedAsync(ulong id, int depth)
    {
        string kept = $"{id}"; // A local that must be the same after the await, wherever that ends.
        await AskAsync(Bits.Mix(id, 1), Workload.DestinationOf(id), depth - 1);
        for (int i = 0; i < 2; i++)
        {
            await AskAsync(Bits.Mix(id, 10 + (ulong)i), Workload.DestinationOf(id + (ulong)i), 0);
        }

        _host.Oracle.Require(kept == $"{id}", $"{_host.Name}: a local changed over an await");
    }

    private async DurableTask WaitAsync(ulong id)
    {
        var delay = TimeSpan.FromMilliseconds(Bits.Mix(id, 3) % 3000);
        DateTimeOffset due = LogTime + delay;
        Awaits(id);
        _host.Oracle.Delays.Begins(id, delay);
        bool right;
        try
        {
            await Delay(delay);
            right = LogTime >= due;
            DelayEnded(id);
            DieOfAnswer(id);
        }
        catch (MessageSkippedException)
        {
            right = _host.Oracle.IsSkipped(_host.Name, Runtime.Clock.Position);
        }

        Resumed(id, right);
    }

    private async DurableTask AskInTimeAsync(ulong id, int depth)
    {
        Awaits(id);
        var limit = TimeSpan.FromMilliseconds(Bits.Mix(id, 3) % 500);
        _host.Oracle.Delays.Begins(id, limit);
        try
        {
            await Call(id, Workload.DestinationOf(id), depth).WithTimeout(limit);
        }
        catch (TimeoutException)
        {
            DelayEnded(id);
            _hash = Bits.Mix(_hash, 1);
        }
        catch (Exception late) when (late is RemoteException or MessageSkippedException)
        {
            _hash = Bits.Mix(_hash, 1);
        }

        Resumed(id, true);
    }

    private DurableTask<ulong> Call(ulong id, string to, int depth) => Send(id, load => To(to).AskAsync(id, depth, load));

    private WalkerProxy To(string name) => name == _host.Name ? This : Proxy<WalkerProxy>(name);

    /// <summary>With its load, or without where that is too large for a message. What was refused has left nothing behind.</summary>
    private T Send<T>(ulong id, Func<byte[], T> send)
    {
        byte[] load = Workload.LoadOf(id);
        try
        {
            return send(load);
        }
        catch (InvalidOperationException tooLarge) when (load.Length > 0
            && tooLarge.Message.Contains("larger than the coordinator accepts", StringComparison.Ordinal))
        {
            _host.Oracle.Sometimes(Sighting.LimitMessage);
            return send([]);
        }
    }

    internal void Awaits(ulong id) => _host.Oracle.Awaits(_host.Name, Runtime.Clock.Lsn, Runtime.Clock.Index, id);

    private void DelayEnded(ulong id)
    {
        if (_host.Oracle.Delays.Ends(_host.Name, id) is { } violation)
        {
            _host.Oracle.Require(false, violation);
        }
    }

    internal void DieOfAnswer(ulong id)
    {
        if (_host.Poison.IsOn && !_host.Life.IsDeaf && _host.Poison.KillsAtAnswer(_host.Life, id))
        {
            _host.Die();
        }
    }

    /// <summary>The call, or the answer to it, was taken out.</summary>
    private bool IsSkipped(string text, string to)
    {
        _host.Oracle.Sometimes(Sighting.SkippedCallAnswered);
        return Array.Exists(text.Split(' '), word =>
            MessagePosition.TryParse(word, out MessagePosition position) && _host.Oracle.IsSkipped(to, position))
            || _host.Oracle.IsSkipped(_host.Name, Runtime.Clock.Position);
    }

    internal void Resumed(ulong id, bool right)
    {
        _hash = Bits.Mix(_hash, id + 1);
        _host.Oracle.Resumed(_host.Name, Runtime.Clock.Lsn, Runtime.Clock.Index, id, right);
    }

    // This stands last: the names of suspended methods, which checkpoints hold, count what stands before them.

    /// <summary>Its simulated process.</summary>
    internal WalkerHost Host => _host;

    /// <summary>Asks the outside.</summary>
    internal OutsideEffects Outside(DurableCancellation? cancellation = null) => Effects<OutsideEffects>(cancellation);

    /// <summary>Opens an awakeable.</summary>
    internal Awakeable<ulong> Open(TimeSpan? deadline) => Awakeable<ulong>(deadline);

    /// <summary>Makes something part of the state.</summary>
    internal void Counts(ulong value) => _hash = Bits.Mix(_hash, value);
}
