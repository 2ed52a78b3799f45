namespace Ambrosia.Runtime;

/// <summary>Takes one call that is written down in place of being sent, in the turn that began with it and in no later one.</summary>
internal abstract class CallRecorder
{
    /// <summary>A recorder for this turn.</summary>
    protected CallRecorder() => Turn.Required.Opened(this);

    /// <summary>What a proxy or a class of effects can be used for while calls go here, as a sentence for people.</summary>
    public abstract string Advice { get; }

    /// <summary>Whether it waits for its call.</summary>
    public bool IsOpen { get; private set; } = true;

    /// <summary>The turn is over. A checkpoint does not keep this, so it counts no longer, even where no checkpoint is taken.</summary>
    public void Close() => IsOpen = false;

    /// <summary>The call is complete.</summary>
    /// <param name="methodId">The method that it calls.</param>
    /// <param name="arguments">Its encoded arguments.</param>
    /// <exception cref="InvalidOperationException">It has its call, or its turn is over.</exception>
    public void Record(int methodId, byte[] arguments)
    {
        if (!IsOpen)
        {
            throw new InvalidOperationException(Advice);
        }

        IsOpen = false;
        Take(methodId, arguments);
    }

    /// <summary>Takes the call.</summary>
    protected abstract void Take(int methodId, byte[] arguments);
}
