using Ambrosia.Cli.Output;

namespace Ambrosia.Cli.Running;

/// <summary>
/// All members of an application in one terminal. Each is started again alone when it crashes; what is done or gives up leaves the others
/// running, and says so.
/// </summary>
/// <param name="name">Name of the application.</param>
/// <param name="members">What runs, with the name that is said of it.</param>
/// <param name="terminal">Where is said what happens.</param>
internal sealed class Crew(string name, IReadOnlyList<(string Name, ICrewMember Member)> members, Terminal terminal) : IDisposable
{
    private volatile bool _stops;
    private int _running = members.Count;

    /// <summary>Runs until all members have ended.</summary>
    /// <returns>The first exit code that is not 0, in the order of the members; 0 if somebody stopped all.</returns>
    public async Task<int> RunAsync(CancellationToken cancellationToken)
    {
        using var failed = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        int[] codes = await Task.WhenAll(members.Select(member => RunOneAsync(member.Name, member.Member, failed)));
        terminal.Line($"{name}: all have ended");
        return _stops ? 0 : codes.FirstOrDefault(static code => code != 0);
    }

    /// <summary>Stops all; said again, kills all.</summary>
    public void Interrupt()
    {
        _stops = true;
        foreach ((_, ICrewMember member) in members)
        {
            member.Interrupt();
        }
    }

    public void Dispose()
    {
        foreach ((_, ICrewMember member) in members)
        {
            member.Dispose();
        }
    }

    // One that cannot be started at all is a mistake of the file: nobody is left running because of it.
    private async Task<int> RunOneAsync(string member, ICrewMember what, CancellationTokenSource failed)
    {
        try
        {
            int code = await what.RunAsync(failed.Token);
            bool isLast = Interlocked.Decrement(ref _running) == 0;
            if (!failed.IsCancellationRequested && !_stops)
            {
                terminal.Line($"{name}: {member} has ended with code {code}{(isLast ? "" : "; the others go on")}");
            }

            return code;
        }
        catch
        {
            await failed.CancelAsync();
            throw;
        }
    }
}
