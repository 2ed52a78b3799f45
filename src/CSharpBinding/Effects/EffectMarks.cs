using Ambrosia.Primitives.Threading;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>
/// Logs notes about effects, and of one that may end this process that an attempt begins: before it does, so that the next process knows.
/// Called by several threads.
/// </summary>
internal sealed class EffectMarks(IEffectRuntime runtime)
{
    private readonly object _gate = new();
    private readonly Dictionary<EffectKey, TaskCompletionSource> _waiting = [];

    /// <summary>Logs a note; false if the connection has ended: the process that acts next counts what it finds.</summary>
    public bool Note(in EffectNote note)
    {
        try
        {
            _ = runtime.Writer.SubmitImpulse(runtime.Self, note.ToImpulse(), always: true);
            return true;
        }
        catch (LinkClosedException)
        {
            return false;
        }
    }

    /// <summary>Ends when it is in the log that an attempt begins, if it must be; false if none may begin.</summary>
    public async Task<bool> MarkAsync(RunningEffect running)
    {
        if (!running.IsMarked)
        {
            return true;
        }

        EffectKey key = running.Effect.Key;
        var logged = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _waiting[key] = logged;
        }

        try
        {
            if (running.IsWithdrawn || !Note(EffectNote.Of(EffectNoteKind.Marked, key)))
            {
                return false;
            }

            await FirstOf.OrCancelAsync(logged.Task, running.Withdrawn);
            return true;
        }
        catch (OperationCanceledException)
        {
            return false;
        }
        finally
        {
            lock (_gate)
            {
                _waiting.Remove(key);
            }
        }
    }

    /// <summary>It is in the log that an attempt begins.</summary>
    public void Logged(EffectKey key)
    {
        lock (_gate)
        {
            _waiting.GetValueOrDefault(key)?.TrySetResult();
        }
    }

    /// <summary>The attempt has ended without an outcome, and this process lives.</summary>
    public void Clear(RunningEffect running)
    {
        if (running.IsMarked && !running.IsWithdrawn)
        {
            Note(EffectNote.Of(EffectNoteKind.Cleared, running.Effect.Key));
            running.IsMarked = running.Attempts < PendingEffect.AcquittedAfter;
        }
    }
}
