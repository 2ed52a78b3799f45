using System.ComponentModel;

namespace Ambrosia.Runtime;

/// <summary>A call sent to a peer whose reply has not come yet.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IPendingCall
{
    /// <summary>The number under which the reply will come; 0 before <see cref="PendingCalls.Add"/>.</summary>
    long Number { get; }

    /// <summary>Called once by <see cref="PendingCalls.Add"/>.</summary>
    void SetNumber(long number);

    /// <summary>Completes the call with the value of its reply, encoded; empty for a call without a result.</summary>
    void Complete(ReadOnlySpan<byte> value);

    /// <summary>Fails the call.</summary>
    void Fail(Exception error);
}
