namespace Ambrosia.Interleavings.Tests.Schedules;

/// <summary>A thread that plays one actor after the other: making threads would take longer than the schedules.</summary>
[System.Diagnostics.CodeAnalysis.SuppressMessage("Design", "CA1001", Justification = "It lives as long as the process.")]
internal sealed class ActorThread
{
    private static readonly Stack<ActorThread> s_idle = new();
    private readonly SemaphoreSlim _turn = new(0);
    private Action? _work;

    private ActorThread() => new Thread(Play) { IsBackground = true, Name = "actor" }.Start();

    /// <summary>An idle thread, or a new one.</summary>
    public static ActorThread Rent(Action work)
    {
        ActorThread thread;
        lock (s_idle)
        {
            thread = s_idle.TryPop(out ActorThread? idle) ? idle : new ActorThread();
        }

        thread._work = work;
        return thread;
    }

    public void GiveTurn() => _turn.Release();

    public void AwaitTurn() => _turn.Wait();

    private void Play()
    {
        while (true)
        {
            _turn.Wait();
            _work!();
            lock (s_idle)
            {
                s_idle.Push(this);
            }
        }
    }
}
