using Ambrosia.ImmortalCoordinator.Admin;
using Ambrosia.ImmortalCoordinator.Application;
using Ambrosia.ImmortalCoordinator.Poison;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Core;

/// <summary>
/// The last picture of the core, for other threads. The core paints it anew at every heartbeat and at every change of role, so
/// that whoever asks never waits for the core.
/// </summary>
internal sealed class StatusBoard(
    string instance, SynchronizationContext context, Action requestCheckpoint, Func<AppSession?> session, Action<string> requestDrain, Func<DeadLetterDesk?> desk) : ICoordinatorStatus
{
    private readonly object _gate = new();
    private readonly List<TaskCompletionSource<ulong>> _waiting = [];
    private CoordinatorStatus _picture = new() { Instance = instance, Role = "starting", NotReadyReason = "starting" };

    public CoordinatorStatus Snapshot() => Volatile.Read(ref _picture);

    public Task<ulong> CheckpointAsync(CancellationToken cancellationToken)
    {
        if (!Snapshot().App.Attached)
        {
            return Task.FromException<ulong>(new InvalidOperationException("No app is attached; a checkpoint is made of its state."));
        }

        var taken = new TaskCompletionSource<ulong>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _waiting.Add(taken);
        }

        context.Post(static state => ((Action)state!)(), requestCheckpoint);
        return taken.Task.WaitAsync(cancellationToken);
    }

    public Task<AppState> StateAsync(bool hashOnly, CancellationToken cancellationToken)
    {
        var told = new TaskCompletionSource<AppState>(TaskCreationOptions.RunContinuationsAsynchronously);
        context.Post(_ => RequestState(hashOnly, told), null);
        return told.Task.WaitAsync(cancellationToken);
    }

    public async Task<AppAnswer> QueryAsync(AppQuery query, CancellationToken cancellationToken)
    {
        var told = new TaskCompletionSource<AppAnswer>(TaskCreationOptions.RunContinuationsAsynchronously);
        context.Post(_ => Ask(query, told), null);
        using (cancellationToken.UnsafeRegister(static state => ((TaskCompletionSource<AppAnswer>)state!).TrySetCanceled(), told))
        {
            return await told.Task;
        }
    }

    public void RequestDrain(string reason) => context.Post(_ => requestDrain(reason), null);

    public Task<DeadLettersStatus> DeadLettersAsync(MessagePosition? only, CancellationToken cancellationToken) =>
        OnCoreAsync(open => Task.FromResult(open.List(only)), cancellationToken);

    public Task<string> ChangeDeadLetterAsync(DeadLetterVerb verb, MessagePosition position, CancellationToken cancellationToken) =>
        OnCoreAsync(open => open.ChangeAsync(verb, position), cancellationToken);

    public void Paint(CoordinatorStatus picture) => Volatile.Write(ref _picture, picture);

    public void CheckpointTaken(ulong lsn)
    {
        List<TaskCompletionSource<ulong>> done;
        lock (_gate)
        {
            done = [.. _waiting];
            _waiting.Clear();
        }

        done.ForEach(waiter => waiter.TrySetResult(lsn));
    }

    private void RequestState(bool hashOnly, TaskCompletionSource<AppState> told)
    {
        if (session() is { } app)
        {
            app.Questions.RequestState(hashOnly, told);
        }
        else
        {
            told.TrySetException(new InvalidOperationException("No app is attached; only it knows its state."));
        }
    }

    private void Ask(AppQuery query, TaskCompletionSource<AppAnswer> told)
    {
        if (session() is { } app)
        {
            app.Questions.Ask(query, told);
        }
        else
        {
            told.TrySetException(new InvalidOperationException("No app is attached; only it can answer."));
        }
    }

    public void CheckpointFailed(Exception reason)
    {
        List<TaskCompletionSource<ulong>> done;
        lock (_gate)
        {
            done = [.. _waiting];
            _waiting.Clear();
        }

        done.ForEach(waiter => waiter.TrySetException(reason));
    }

    private Task<T> OnCoreAsync<T>(Func<DeadLetterDesk, Task<T>> work, CancellationToken cancellationToken)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        context.Post(_ => Work(work, done), null);
        return done.Task.WaitAsync(cancellationToken);
    }

    private async void Work<T>(Func<DeadLetterDesk, Task<T>> work, TaskCompletionSource<T> done)
    {
        try
        {
            DeadLetterDesk open = desk() ?? throw new InvalidOperationException("the instance is starting");
            done.TrySetResult(await work(open));
        }
        catch (Exception error) when (error is InvalidOperationException or IOException or CoordinatorException or LogStoreException)
        {
            done.TrySetException(error);
        }
        catch (OperationCanceledException)
        {
            done.TrySetException(new InvalidOperationException("the coordinator stops"));
        }
    }
}
