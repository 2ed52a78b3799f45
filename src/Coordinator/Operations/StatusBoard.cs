using Ambrosia.Coordinator.Sessions;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Operations;

/// <summary>
/// The last picture of the core, and the only way on which other threads ask it something. The core paints the picture anew at every
/// heartbeat and at every change of role, so that no caller that asks for it waits. A question goes to the core's context. Nothing that it
/// does escapes there: an exception is the answer to the one that asked, and never ends the instance.
/// </summary>
internal sealed class StatusBoard : ICoordinatorStatus, IDisposable
{
    private const string MayBeDone = "what was asked for may have been done: look again";
    private readonly SynchronizationContext _context;
    private readonly Action<TaskCompletionSource<ulong>> _requestCheckpoint;
    private readonly Func<AppSession?> _session;
    private readonly Action<string> _requestDrain;
    private readonly Func<DeadLetterService?> _deadLetters;
    private readonly CancellationTokenSource _ending = new();
    private readonly CancellationToken _ended;
    private CoordinatorStatus _picture;

    public StatusBoard(
        string instance,
        SynchronizationContext context,
        Action<TaskCompletionSource<ulong>> requestCheckpoint,
        Func<AppSession?> session,
        Action<string> requestDrain,
        Func<DeadLetterService?> deadLetters)
    {
        (_context, _requestCheckpoint, _session, _requestDrain, _deadLetters) =
            (context, requestCheckpoint, session, requestDrain, deadLetters);
        _ended = _ending.Token;
        _picture = new CoordinatorStatus { Instance = instance, Role = "starting", NotReadyReason = "starting" };
    }

    public CoordinatorStatus Snapshot() => Volatile.Read(ref _picture);

    public Task<ulong> CheckpointAsync(CancellationToken cancellationToken) => OnCoreAsync<ulong>(
        taken =>
        {
            RequireApp();
            _requestCheckpoint(taken);
        },
        NotServingException.NothingChanged,
        cancellationToken);

    public Task<AppState> StateAsync(bool hashOnly, CancellationToken cancellationToken) => OnCoreAsync<AppState>(
        told => RequireApp().Questions.RequestState(hashOnly, told), NotServingException.NothingChanged, cancellationToken);

    public Task<AppAnswer> QueryAsync(AppQuery query, CancellationToken cancellationToken) => OnCoreAsync<AppAnswer>(
        told => RequireApp().Questions.Ask(query, told), NotServingException.NothingChanged, cancellationToken);

    public void RequestDrain(string reason) => _context.Post(
        _ =>
        {
            if (!_ended.IsCancellationRequested)
            {
                Begin(_ => _requestDrain(reason), new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously));
            }
        },
        null);

    public Task<DeadLettersStatus> DeadLettersAsync(MessagePosition? only, CancellationToken cancellationToken) =>
        OnCoreAsync<DeadLettersStatus>(
            told => told.TrySetResult(RequireDeadLetters().List(only)), NotServingException.NothingChanged, cancellationToken);

    public Task<string> ChangeDeadLetterAsync(DeadLetterVerb verb, MessagePosition position, CancellationToken cancellationToken) =>
        OnCoreAsync<string>(done => Change(RequireDeadLetters(), verb, position, done), MayBeDone, cancellationToken);

    public void Show(CoordinatorStatus picture) => Volatile.Write(ref _picture, picture);

    /// <summary>What it waits for before there is more to paint.</summary>
    public void Starts(string reason) => Show(Snapshot() with { NotReadyReason = reason });

    /// <summary>The core has ended: what waits is told, and what asks from here on. The picture stays.</summary>
    public void Dispose()
    {
        _ending.Cancel();
        _ending.Dispose();
    }

    private async Task<T> OnCoreAsync<T>(Action<TaskCompletionSource<T>> ask, string safe, CancellationToken cancellationToken)
    {
        // Completed in any case, so that what waits for an answer in the core sees which caller has given up.
        var told = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        using (cancellationToken.UnsafeRegister(static state => ((TaskCompletionSource<T>)state!).TrySetCanceled(), told))
        using (_ended.UnsafeRegister(_ => told.TrySetException(new NotServingException($"{Snapshot().Instance} has stopped", safe)), null))
        {
            _context.Post(_ => Begin(ask, told), null);
            return await told.Task;
        }
    }

    private static void Begin<T>(Action<TaskCompletionSource<T>> ask, TaskCompletionSource<T> told)
    {
        try
        {
            ask(told);
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            told.TrySetException(error);
        }
    }

    private static async void Change(DeadLetterService deadLetters, DeadLetterVerb verb, MessagePosition position,
        TaskCompletionSource<string> done)
    {
        try
        {
            done.TrySetResult(await deadLetters.ChangeAsync(verb, position));
        }
        catch (OperationCanceledException)
        {
            done.TrySetException(new NotServingException("the coordinator stops", MayBeDone));
        }
        catch (Exception error) when (error is not OutOfMemoryException)
        {
            done.TrySetException(error);
        }
    }

    private AppSession RequireApp() => _session() ?? throw NotServing("no app is attached");

    private DeadLetterService RequireDeadLetters() => _deadLetters() ?? throw NotServing("it does not act as primary");

    private NotServingException NotServing(string reason)
    {
        CoordinatorStatus now = Snapshot();
        bool isKnown = now.NotReadyReason.Length > 0 && now.NotReadyReason != now.Role;
        string why = isKnown ? now.NotReadyReason.Replace(" | ", ", ", StringComparison.Ordinal) : reason;
        return new NotServingException($"{now.Instance}: {now.Role}, {why}");
    }
}
