using System.Diagnostics.CodeAnalysis;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>An effect on its way to an outcome in this process. What may change is guarded by its runner.</summary>
[SuppressMessage("Design", "CA1001", Justification = "The source has no timer, and attempts may still register with its token.")]
internal sealed class RunningEffect(PendingEffect effect, TimeSpan age, long begun)
{
    private readonly CancellationTokenSource _withdrawn = new();
    private volatile bool _isWithdrawn;

    public PendingEffect Effect => effect;

    /// <summary>Time since it was asked for, when it began here.</summary>
    public TimeSpan Age => age;

    /// <summary>When it began here, by the clock that nobody sets.</summary>
    public long Begun => begun;

    /// <summary>True once no outcome is wanted any more: it has one, it was cancelled, or this process no longer acts.</summary>
    public bool IsWithdrawn => _isWithdrawn;

    /// <summary>Cancelled a moment later, outside of any turn: the app's code may hang on it.</summary>
    public CancellationToken Withdrawn => _withdrawn.Token;

    /// <summary>Attempts of this process.</summary>
    public int Attempts { get; set; }

    /// <summary>True if each attempt is logged before it begins, since it may end the process.</summary>
    public bool IsMarked { get; set; } = effect.IsSuspect;

    /// <summary>True if nothing else may run beside it.</summary>
    public bool IsAlone => IsMarked && Deaths > 0;

    /// <summary>How often it ended its process.</summary>
    public int Deaths { get; } = effect.Deaths;

    /// <summary>Its outcome has left for the log.</summary>
    public bool IsTold { get; set; }

    /// <summary>Why the last one failed.</summary>
    public string? LastError { get; set; }

    public void Withdraw() => _isWithdrawn = true;

    /// <summary>Cancels. Code that registered with the token may throw, which must not end what is done besides.</summary>
    public void Cancel(ILogger logger) => Cancel(_withdrawn, logger);

    /// <summary>The same for another source.</summary>
    public static void Cancel(CancellationTokenSource source, ILogger logger)
    {
        try
        {
            source.Cancel();
        }
        catch (AggregateException error)
        {
            BindingLog.StoppingFailed(logger, error);
        }
    }
}
