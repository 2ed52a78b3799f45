using Ambrosia.Testing.Virtual;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// What lies between one coordinator and its service: every request takes its time, and in bad times it is lost, or its answer is, it is
/// refused because there are too many, or it comes so late that its sender has asked again, has lost the lease or is dead.
/// </summary>
internal sealed class ServiceWire(VirtualLoop loop, Random random, SimReport report)
{
    private readonly VirtualProcess _process = new(loop, null);

    /// <summary>Chance of a request, and of an answer, to be lost.</summary>
    public double Loss { get; set; }

    /// <summary>Chance of a request to be late.</summary>
    public double Lateness { get; set; }

    /// <summary>How late at most.</summary>
    public TimeSpan Longest { get; set; }

    /// <summary>Chance of a request to be refused: the service has too much to do.</summary>
    public double Refusals { get; set; }

    /// <summary>Nothing arrives.</summary>
    public bool Down { get; set; }

    /// <summary>All is well again; what is on its way comes when it comes.</summary>
    public void Heal() => (Loss, Lateness, Refusals, Down) = (0, 0, 0, false);

    /// <summary>Sends a request. The answer may never come.</summary>
    public Task<T> Send<T>(Func<T> act)
    {
        // A waiter with a limit is told on the thread that sets this; what it does then is posted to its own context.
        var answer = new TaskCompletionSource<T>();
        bool requestLost = Down || random.NextDouble() < Loss;
        bool refused = random.NextDouble() < Refusals;
        bool late = random.NextDouble() < Lateness;
        TimeSpan way = late ? Longest * random.NextDouble() : TimeSpan.FromMilliseconds(random.Next(3));
        _ = _process.Start("request", async () =>
        {
            await Task.Delay(way, _process.Time);
            if (requestLost)
            {
                report.Sometimes(Sighting.RequestLost);
                return;
            }

            if (refused)
            {
                report.Sometimes(Sighting.RequestRefused);
                answer.TrySetException(new TimeoutException("503 Server Busy"));
                return;
            }

            T result = act();
            if (Down || random.NextDouble() < Loss)
            {
                report.Sometimes(Sighting.AnswerLost);
                return;
            }

            if (late)
            {
                report.Sometimes(Sighting.RequestLate);
            }

            answer.TrySetResult(result);
        });
        return answer.Task;
    }
}
