using System.Diagnostics.CodeAnalysis;

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

    /// <summary>Why the last one failed.</summary>
    public string? LastError { get; set; }

    public void Withdraw() => _isWithdrawn = true;

    public void Cancel() => _withdrawn.Cancel();
}
