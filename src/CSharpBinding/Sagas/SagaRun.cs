using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// The compensations of a saga while they run: state that is resumed by replies, outcomes and timers. No method is suspended in it, so that
/// no new build of this library changes it.
/// </summary>
internal sealed class SagaRun : DurableCell<Nothing>
{
    private const int LongestError = 300;
    private static readonly TimeSpan s_longestPause = TimeSpan.FromMinutes(5);
    private readonly DurableSaga _saga;
    private readonly List<string> _givenUp = [];
    private DurableTimer? _pause;
    private int _failures;
    private string _lastError = "";

    private SagaRun(DurableSaga saga) => _saga = saga;

    private static ISagaRuntime Runtime => Turn.Required.Owner as ISagaRuntime
        ?? throw new InvalidOperationException("A saga compensates in handlers of a running immortal only.");

    /// <summary>Begins with the newest compensation.</summary>
    public static SagaRun Start(DurableSaga saga)
    {
        var run = new SagaRun(saga);
        Runtime.Sagas.Add(run);
        run.Begin();
        return run;
    }

    /// <summary>For people.</summary>
    public CompensationTold ToTold() => new(
        EffectMethodTold.Clean(_saga.Name), _saga.Steps.Count == 0 ? "" : EffectMethodTold.Clean(_saga.Steps[^1].Label), _saga.Steps.Count,
        _failures, _pause?.Deadline.UtcTicks ?? 0, EffectMethodTold.Clean(_lastError));

    /// <summary>The compensation that runs has an outcome, or a pause is over.</summary>
    protected internal override void Resume(DurableCell completed)
    {
        if (ReferenceEquals(completed, _pause))
        {
            _pause = null;
            Begin();
        }
        else if (completed.Error is { } error)
        {
            Failed(error);
        }
        else
        {
            Leave();
        }
    }

    private void Begin()
    {
        Runtime.Sagas.Changed();
        if (_saga.Steps.Count == 0)
        {
            Runtime.Sagas.Remove(this);
            _ = _givenUp.Count == 0 ? TryComplete(default) : TryFail(new CompensationFailedException(
                $"Saga '{_saga.Name}': {_givenUp.Count} of its compensations failed {_saga.Attempts} times and were given up, all "
                + $"others have "
                    + $"run. Take back by hand: {string.Join("; ", _givenUp)}"));
            return;
        }

        try
        {
            _saga.Steps[^1].Begin(Runtime).AddWaiter(this);
        }
        catch (Exception error) when (ProcessFailure.IsHandlers(error))
        {
            Failed(error);
        }
    }

    private void Failed(Exception error)
    {
        string text = $"{error.GetType().Name}: {error.Message}";
        _lastError = text.Length > LongestError ? text[..LongestError] : text;
        if (++_failures == _saga.Attempts)
        {
            _givenUp.Add($"{_saga.Steps[^1].Label} ({_lastError})");
            Leave();
            return;
        }

        Runtime.Sagas.Changed();
        TimeSpan pause = _failures > 9 ? s_longestPause : TimeSpan.FromSeconds(1L << (_failures - 1));
        _pause = DurableTimer.Start(pause < s_longestPause ? pause : s_longestPause);
        _pause.AddWaiter(this);
    }

    private void Leave()
    {
        _saga.Steps.RemoveAt(_saga.Steps.Count - 1);
        (_failures, _lastError) = (0, "");
        Begin();
    }
}
