using Ambrosia.LogStore.Catalog;
using Ambrosia.LogStore.Errors;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A catalog whose answers about other instances arrive when the test says so. An answer says what was true when the question
/// came.</summary>
internal sealed class HeldCatalog(ICatalog inner, string served) : ICatalog
{
    private readonly object _gate = new();
    private readonly List<TaskCompletionSource> _waiting = [];
    private bool _holds;

    /// <summary>From here on no question about another instance is answered.</summary>
    public void Hold() => Volatile.Write(ref _holds, true);

    /// <summary>Questions from here on are answered; those that wait go on waiting.</summary>
    public void AnswerNewQuestions() => Volatile.Write(ref _holds, false);

    /// <summary>Completes when so many questions wait.</summary>
    public Task UntilAskedAsync(int questions) => Within.Until(() =>
    {
        lock (_gate)
        {
            return _waiting.Count >= questions;
        }
    });

    /// <summary>Answers a question that waits.</summary>
    public void Answer(int question)
    {
        lock (_gate)
        {
            _waiting[question].TrySetResult();
        }
    }

    public async ValueTask<CatalogRow?> GetAsync(string instance)
    {
        CatalogRow? answer = await inner.GetAsync(instance);
        if (instance != served && Volatile.Read(ref _holds))
        {
            var late = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (_gate)
            {
                _waiting.Add(late);
            }

            await late.Task;
        }

        return answer;
    }

    public ValueTask<string?> PutAsync(CatalogEntry entry, string? expectedVersion) => inner.PutAsync(entry, expectedVersion);

    public ValueTask<bool> RemoveAsync(string instance, string? expectedVersion = null) => inner.RemoveAsync(instance, expectedVersion);

    public ValueTask<IReadOnlyList<CatalogRow>> ListAsync(ICollection<LogStoreException>? damaged = null) => inner.ListAsync(damaged);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}
