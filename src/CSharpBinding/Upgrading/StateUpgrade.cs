using System.Buffers;
using Ambrosia.Link;
using Ambrosia.Runtime;

namespace Ambrosia.Upgrading;

/// <summary>
/// Loads states of older classes with their own code and converts them. What was converted is written as a checkpoint and read back into a
/// fresh object before the old one is let go of: the app goes on with exactly what a recovery would give it, or not at all.
/// </summary>
internal sealed class StateUpgrade(ImmortalRuntime runtime, CheckpointCodec codec, UpgradeSettings settings)
{
    private readonly string _goal = Conversion.NameOf(runtime.Immortal.GetType());

    /// <summary>
    /// What the app wants to become; "" if that is what it is, or if nobody asked it to: then it goes on as the version that it finds.
    /// </summary>
    public string Goal => Version == _goal || !settings.Replaces ? "" : _goal;

    /// <summary>The class of the state as it is.</summary>
    public string Version => Conversion.NameOf(runtime.Immortal.GetType());

    /// <summary>A fresh object for a state of the class with this name; null if there is no way from it to the app's own class.</summary>
    public Immortal? Create(string version) => Conversion.Path(settings.Conversions, version, _goal) is [Conversion first, ..]
        ? first.Create(settings.Services) : null;

    /// <summary>Converts the state between two turns.</summary>
    /// <param name="goal">Name of the class to become; "" for the app's own.</param>
    /// <returns>The new version's checkpoint; the caller disposes it.</returns>
    /// <exception cref="UpgradeRefusedException">The state is as it was.</exception>
    public ChunkedBuffer Convert(string goal)
    {
        goal = goal.Length == 0 ? _goal : goal;
        Immortal old = runtime.Immortal;
        IReadOnlyList<Conversion> steps = Conversion.Path(settings.Conversions, Version, goal)
            ?? throw new UpgradeRefusedException($"the app has no conversion from {Version} to {goal}");
        var checkpoint = new ChunkedBuffer();
        try
        {
            if (steps.Count == 0)
            {
                codec.Write(checkpoint);
                return checkpoint;
            }

            Func<Immortal> fresh = goal == _goal ? settings.Create : () => Older(goal);
            RequireContinuations(old, fresh);
            Immortal made = Apply(steps, old);
            codec.WriteAs(made, old, checkpoint);
            codec.ReadInto(fresh(), checkpoint.ToSequence());
            return checkpoint;
        }
        catch (Exception error) when (error is CannotSaveException or CannotResumeException or CheckpointException)
        {
            checkpoint.Dispose();
            throw new UpgradeRefusedException($"the converted state cannot be saved and loaded: {error.Message}");
        }
        catch (UpgradeRefusedException)
        {
            checkpoint.Dispose();
            throw;
        }
    }

    // Before anything is touched: the calls alone, as they would be in the new class, beside a state that is only just born.
    private void RequireContinuations(Immortal old, Func<Immortal> fresh)
    {
        if (runtime.PendingCalls.Count == 0 && runtime.Timers.Count == 0)
        {
            return;
        }

        using var tried = new ChunkedBuffer();
        try
        {
            codec.WriteAs(fresh(), old, tried);
            codec.TryRead(fresh(), tried.ToSequence());
        }
        catch (CannotResumeException error)
        {
            throw new UpgradeRefusedException(
                $"calls are suspended in methods that the new version does not have: {string.Join("; ", error.Refusals)}", mayPass: true);
        }
    }

    private Immortal Older(string version) =>
        settings.Conversions.First(step => Conversion.NameOf(step.From) == version).Create(settings.Services);

    private Immortal Apply(IReadOnlyList<Conversion> steps, Immortal state)
    {
        foreach (Conversion step in steps)
        {
            string names = $"from {Conversion.NameOf(step.From)} to {Conversion.NameOf(step.To)}";
            try
            {
                state = step.Convert(state, settings.Services)
                    ?? throw new UpgradeRefusedException($"the conversion {names} returned null");
            }
            catch (Exception error) when (ProcessFailure.IsHandlers(error) && error is not UpgradeRefusedException)
            {
                throw new UpgradeRefusedException($"the conversion {names} threw {error.GetType().Name}: {error.Message}");
            }

            if (state.GetType() != step.To)
            {
                throw new UpgradeRefusedException($"the conversion {names} returned a {Conversion.NameOf(state.GetType())}");
            }
        }

        return state;
    }
}
