using Ambrosia.Coordinator;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Protocol;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>The person who looks after an instance: decides what becomes of messages that kill it, and brings new builds.</summary>
internal sealed class SimOperator(SimWorld world, string instance, Action askForCheckpoints)
{
    private readonly VirtualProcess _process = new(world.Loop, null);
    private readonly SimEffectOperator _effects = new(world, instance);
    private static readonly long s_pause = TimeSpan.FromMilliseconds(50).Ticks;
    private ImmortalCore? _asked;
    private long _notBefore;

    private Random Random => world.Poison.Random;

    /// <summary>Everything that was asked has been answered, or can never be.</summary>
    public bool IsBusyWith(ImmortalCore? core) => core is not null && _asked == core;

    /// <summary>Looks at the instance and decides. With <paramref name="onHold"/> something must happen; else something may.</summary>
    public void Act(ImmortalCore core, bool onHold, bool finish) => Ask(core, status => DecideAsync(status, onHold, finish));

    /// <summary>Compares the letters that are kept with what the observer knows.</summary>
    public void Compare(ImmortalCore core) => Ask(core, async status =>
    {
        DeadLettersStatus desk = await status.DeadLettersAsync(null, default);
        world.Oracle.Letters(instance, [.. desk.Letters.Select(letter => At(letter.Position))]);
    });

    /// <summary>Decides about an effect that is held; unless all is healed, about another one if chance wants it.</summary>
    public void LookAtEffects(ImmortalCore core, bool finish)
    {
        if (core.Status is { } status && (!finish || SimEffectOperator.SeesHeld(status)))
        {
            Ask(core, asked => _effects.DecideAsync(asked, _process.Time, finish));
        }
    }

    private void Ask(ImmortalCore core, Func<ICoordinatorStatus, Task> work)
    {
        if (core.Status is not { } status || IsBusyWith(core) || world.Loop.Now < _notBefore)
        {
            return;
        }

        _asked = core;
        _notBefore = world.Loop.Now + s_pause; // Nobody looks without any pause; and virtual time passes only when nothing is left to do.
        _ = _process.Start($"operator of {instance}", async () =>
        {
            try
            {
                await work(status);
            }
            catch (InvalidOperationException refused)
            {
                world.Print?.Invoke($"{instance}: operator was refused: {refused.Message}");
                world.Report.QuarantineRefused(refused.Message);
                world.Report.Sometimes(refused.Message.StartsWith("IC-1037", StringComparison.Ordinal) ? Sighting.QuarantineRefused
                    : Sighting.DecisionRefused);
            }
            finally
            {
                _asked = null;
            }
        });
    }

    private async Task DecideAsync(ICoordinatorStatus status, bool onHold, bool finish)
    {
        DeadLettersStatus desk = await status.DeadLettersAsync(null, default);
        if (desk.Hold.Length > 0)
        {
            await ReleaseAsync(status, desk, finish);
        }
        else if (!onHold && desk.Letters.Count > 0)
        {
            await HandleAsync(status, At(desk.Letters[Random.Next(desk.Letters.Count)].Position));
        }
        else if (!onHold && !finish && desk.Suspect.Length > 0
            && MessagePosition.TryParse(desk.Suspect.Split(',')[0], out MessagePosition suspect))
        {
            // An impatient operator: the app is at work, and may just have survived.
            await QuarantineAsync(status, suspect);
        }
    }

    private async Task ReleaseAsync(ICoordinatorStatus status, DeadLettersStatus desk, bool finish)
    {
        int drawn = Random.Next(finish ? 3 : 5);
        if (drawn >= 3)
        {
            await status.ChangeDeadLetterAsync(DeadLetterVerb.Retry, default, default);
            return;
        }

        try
        {
            if (drawn > 0)
            {
                await QuarantineAsync(status, At(desk.Suspect.Split(',')[0]));
                return;
            }
        }
        catch (InvalidOperationException) when (!finish)
        {
            throw;
        }
        catch (InvalidOperationException)
        {
            world.Report.Sometimes(Sighting.QuarantineRefused); // What remains is a build that survives it.
        }

        world.Print?.Invoke($"{instance}: a new build comes");
        world.Poison.Repair(instance);
    }

    private async Task QuarantineAsync(ICoordinatorStatus status, MessagePosition position)
    {
        world.Print?.Invoke($"{instance}: operator quarantines {position}");
        if (world.Replicas.IsOn && world.Replicas.Random.Next(2) == 0)
        {
            askForCheckpoints();
        }

        await status.ChangeDeadLetterAsync(DeadLetterVerb.Quarantine, position, default);
        world.Oracle.Decided(instance, position);
    }

    private async Task HandleAsync(ICoordinatorStatus status, MessagePosition letter)
    {
        bool redrive = Random.Next(3) != 0;
        world.Print?.Invoke($"{instance}: operator {(redrive ? "re-drives" : "drops")} {letter}");
        if (redrive)
        {
            world.Oracle.Redriving(instance, letter);
            await status.ChangeDeadLetterAsync(DeadLetterVerb.Redrive, letter, default);
            world.Oracle.Redriven(instance, letter);
        }
        else
        {
            world.Oracle.Dropping(instance, letter);
            await status.ChangeDeadLetterAsync(DeadLetterVerb.Drop, letter, default);
        }
    }

    private static MessagePosition At(string text) =>
        MessagePosition.TryParse(text, out MessagePosition position) ? position
        : throw new InvalidOperationException($"'{text}' is no position");
}
