using System.Collections.Concurrent;

namespace Ambrosia.PlantedBugs;

/// <summary>The sessions that wait for work, by the test project that they have loaded.</summary>
internal sealed class Sessions(string repository, TimeSpan patience) : IAsyncDisposable
{
    private readonly ConcurrentDictionary<string, ConcurrentBag<Session>> _idle = new();

    /// <summary>One that waits, or a new one.</summary>
    public Session Take(string project) =>
        IdleOf(project).TryTake(out Session? session) ? session : Session.Start(repository, project, patience);

    /// <summary>Keeps it for the next, unless it is used up.</summary>
    public async ValueTask GiveBackAsync(Session session)
    {
        if (session.IsUsable)
        {
            IdleOf(session.Project).Add(session);
        }
        else
        {
            await session.DisposeAsync();
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (Session session in _idle.Values.SelectMany(static idle => idle))
        {
            await session.DisposeAsync();
        }
    }

    private ConcurrentBag<Session> IdleOf(string project) => _idle.GetOrAdd(project, static _ => []);
}
