using Ambrosia.Runtime;

namespace Ambrosia;

/// <summary>
/// Steps that are taken back, the newest first, if a later one fails: after each call that succeeded,
/// <c>saga.Undo(stock).ReleaseFork(id)</c> takes down the call that undoes it; <c>await saga.Compensate()</c> runs them
/// (docs/guide/sagas.md). It is state: keep it in a local or a field.
/// </summary>
/// <param name="name">What it is about, such as <c>order 17</c>: shown in status and errors.</param>
/// <param name="attempts">How often a compensation that fails is tried before the next one runs; 0 for ever, with pauses from 1 s, doubled
/// up to 5 min.</param>
public sealed class DurableSaga(string name, int attempts = 0)
{
    private readonly string _name = CheckedName(name);
    private readonly int _attempts = attempts >= 0 ? attempts
        : throw new ArgumentOutOfRangeException(nameof(attempts), attempts, "A number of attempts, or 0 for no limit.");

    private readonly List<Compensation> _steps = [];
    private SagaRun? _run;

    /// <summary>What it is about.</summary>
    public string Name => _name;

    /// <summary>Compensations that have not succeeded.</summary>
    public int Count => _steps.Count;

    internal int Attempts => _attempts;

    internal List<Compensation> Steps => _steps;

    /// <summary>
    /// Takes down the effect that undoes what has just succeeded: <c>saga.Undo(Effects&lt;PaymentsEffects&gt;()).RefundFork(id)</c>.
    /// </summary>
    /// <param name="effects">The class of effects.</param>
    /// <param name="label">What the compensation is called in status and errors; default: interface and method.</param>
    /// <returns>What takes the one effect that is to be asked for: a fork.</returns>
    public T Undo<T>(T effects, string label = "")
        where T : ImmortalEffects, new()
    {
        ArgumentNullException.ThrowIfNull(effects);
        return new T { Recorder = new CompensationRecorder(this, CheckedLabel(label), "", new T()) };
    }

    /// <summary>
    /// Runs the compensations, the newest first, each when the one before has succeeded. Ends when all have; called again, it gives the
    /// same task.
    /// </summary>
    /// <exception cref="CompensationFailedException">Some used up their attempts; the others have run.</exception>
    public DurableTask Compensate() => new(_run ??= SagaRun.Start(this));

    internal CallRecorder RecorderFor(string destination, string label) =>
        new CompensationRecorder(this, CheckedLabel(label), destination, null);

    internal void Add(Compensation step)
    {
        if (_run is not null)
        {
            throw new InvalidOperationException($"Saga '{_name}' compensates already: nothing can be added to it.");
        }

        _steps.Add(step);
    }

    private static string CheckedName(string name)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        return name;
    }

    private static string CheckedLabel(string label)
    {
        ArgumentNullException.ThrowIfNull(label);
        return label;
    }
}
