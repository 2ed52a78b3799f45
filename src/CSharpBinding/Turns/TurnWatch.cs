using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// Tells the coordinator which message is being executed when somebody wants to know: at the beginning of each turn of a record in steps,
/// and from a thread of the clock when one turn has lasted for a whole period. Costs two writes per turn; an idle immortal costs nothing.
/// </summary>
internal sealed class TurnWatch(TurnClock clock, LinkWriter writer) : IDisposable
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);
    private ITimer? _timer;
    private volatile bool _armed;
    private volatile bool _running;
    private int _method;
    private long _seen;
    private long _reported;

    /// <summary>Begins to look, once a period while there are turns.</summary>
    public void Start(TimeProvider time) =>
        _timer = time.CreateTimer(static state => ((TurnWatch)state!).Look(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    /// <summary>A turn begins.</summary>
    public void Begin(int method)
    {
        _method = method;
        _running = true;
        if (!_armed)
        {
            Arm();
        }
    }

    /// <summary>It has ended.</summary>
    public void End() => _running = false;

    /// <summary>Says at once that the present message begins.</summary>
    public void Announce(int method)
    {
        Span<byte> data = stackalloc byte[TurnRunning.MaxSize];
        writer.SubmitControl(BindingMessageType.TurnRunning, data[..new TurnRunning(clock.Position, method).Write(data)]);
    }

    /// <inheritdoc/>
    public void Dispose() => _timer?.Dispose();

    private void Arm()
    {
        _armed = true;
        _timer?.Change(s_period, Timeout.InfiniteTimeSpan);
    }

    private void Look()
    {
        if (_running)
        {
            LookAtTurn();
        }

        _armed = false;
        if (_running)
        {
            Arm(); // Also for one that began while the flag was still up.
        }
    }

    private void LookAtTurn()
    {
        long turn = clock.TurnNumber;
        bool same = turn == _seen && turn != _reported;
        _seen = turn;
        // Position and method belong to this turn if it still runs behind them.
        TurnRunning now = new(clock.Position, Volatile.Read(ref _method));
        if (same && _running && clock.TurnNumber == turn)
        {
            _reported = turn;
            Report(now);
        }
    }

    private void Report(TurnRunning turn)
    {
        Span<byte> data = stackalloc byte[TurnRunning.MaxSize];
        try
        {
            writer.SubmitControl(BindingMessageType.TurnRunning, data[..turn.Write(data)]);
        }
        catch (LinkClosedException)
        {
            // The coordinator has gone; the session ends as soon as the handler does.
        }
    }
}
