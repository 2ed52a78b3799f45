using Microsoft.Extensions.Logging;

namespace Ambrosia;

/// <summary>What the class that performs an effect is told about it. It is not sent: a handler does not give it.</summary>
public sealed class EffectContext
{
    internal EffectContext(string id, int attempt, ulong epoch, DateTimeOffset asked, TimeProvider time, ILogger log,
        CancellationToken cancellation)
    {
        Id = id;
        Attempt = attempt;
        Epoch = epoch;
        Asked = asked;
        Time = time;
        Log = log;
        Cancellation = cancellation;
    }

    /// <summary>
    /// Names the effect, the same at every attempt of every process: give it to the receiver, so that it can drop repetitions.
    /// </summary>
    public string Id { get; }

    /// <summary>Number of this attempt in this process, from 1.</summary>
    public int Attempt { get; }

    /// <summary>Number of this leadership; it grows with every start. A receiver may refuse a lower one than it has seen.</summary>
    public ulong Epoch { get; }

    /// <summary>Log time of the message whose handler asked for the effect.</summary>
    public DateTimeOffset Asked { get; }

    /// <summary>The clock to wait by: in a test host its virtual one, otherwise the system's.</summary>
    public TimeProvider Time { get; }

    /// <summary>
    /// Cancelled when this attempt takes too long, the effect is no longer wanted, or the process stops acting for the immortal.
    /// </summary>
    public CancellationToken Cancellation { get; }

    /// <summary>The app's log.</summary>
    public ILogger Log { get; }
}
