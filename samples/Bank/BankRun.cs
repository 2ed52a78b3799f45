using System.Text.Json;
using Ambrosia.Primitives;
using Ambrosia.Samples;

namespace Bank;

/// <summary>A whole run: start the immortals, let them work or kill them, let everything settle, audit.</summary>
internal sealed class BankRun(SampleRun run, BankOptions options)
{
    private static readonly TimeSpan s_startTime = TimeSpan.FromSeconds(120);
    private static readonly TimeSpan s_settleTime = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_poll = TimeSpan.FromMilliseconds(200);
    private readonly Unit[] _clients = [new(run, new("client-1", "client")), new(run, new("client-2", "client"))];
    private readonly Unit[] _shards = [.. Teller.Shards.Select(name => new Unit(run, new(name, "shard")))];
    private readonly Unit _auditor = new(run, new("auditor", "auditor"));

    private IReadOnlyList<Unit> All => [.. _shards, _auditor, .. _clients];

    public async Task<bool> RunAsync()
    {
        Environment.SetEnvironmentVariable(Teller.FolderVariable, run.Folder);
        run.Say("Five immortals: two shards of a bank, an auditor, two clients. Each is an app and a coordinator: ten processes.");
        foreach (Unit unit in All)
        {
            unit.Start();
        }

        try
        {
            await ReadyAsync(s_startTime, "they did not all start");
            return await WorkAsync();
        }
        finally
        {
            foreach (Unit unit in All)
            {
                unit.End();
            }
        }
    }

    private async Task<bool> WorkAsync()
    {
        var monkey = new Monkey(run, All, options.Seed);
        if (options.Chaos)
        {
            run.Say($"All of them serve. Killing for {options.Duration.TotalSeconds:F0} s (--seed {options.Seed}):");
            await monkey.RunAsync(options.Duration);
        }
        else
        {
            run.Say($"All of them serve. Working for {options.Duration.TotalSeconds:F0} s without disturbance; --chaos "
                + $"{options.Duration.TotalSeconds:F0} would kill them meanwhile.");
            await Task.Delay(options.Duration, run.Stopping);
        }

        await ReadyAsync(s_settleTime, "they did not all come back");
        Audit audit = await SettleAsync();
        audit.Print(run);
        Summary.Print(run, monkey);
        return audit.Passed && Unsurprised();
    }

    private async Task ReadyAsync(TimeSpan patience, string complaint)
    {
        try
        {
            await Task.WhenAll(All.Select(static unit => unit.Ready)).WaitAsync(patience, run.Stopping);
        }
        catch (TimeoutException)
        {
            string missing = string.Join(", ", All.Where(static unit => !unit.Ready.IsCompleted).Select(static unit => unit.Name));
            throw new SampleException(
                $"After {patience.TotalSeconds:F0} s {complaint}: {missing}. "
                + $"{string.Join("; ", All.SelectMany(static unit => unit.Surprises).Take(5))}");
        }
    }

    // Messages may still be under way when the loops have ended; the books are final when two looks in a row see the same and nothing is
    // open.
    private async Task<Audit> SettleAsync()
    {
        run.Say("Quiet now. The clients finish what they have begun, then the books are compared.");
        await File.WriteAllTextAsync(Teller.ClosedFile(run.Folder), "");
        foreach (Unit client in _clients)
        {
            await client.AskAsync("close", run.Stopping);
        }

        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            Audit audit = await LookAsync();
            if (audit.IsSettled || TimeProvider.System.GetElapsedTime(start) > s_settleTime)
            {
                return audit;
            }

            await Task.Delay(s_poll, run.Stopping);
        }
    }

    private async Task<Audit> LookAsync() => new(
        await AskAsync<ClientReport>(_clients),
        await AskAsync<ShardReport>(_shards),
        (await AskAsync<AuditorReport>([_auditor])).Single().Value,
        _clients.ToDictionary(static client => client.Name, client => OutsideHistory.Read(Teller.PathOf(run.Folder, client.Name))));

    private async Task<Dictionary<string, T>> AskAsync<T>(IEnumerable<Unit> units)
    {
        var reports = new Dictionary<string, T>();
        foreach (Unit unit in units)
        {
            reports.Add(unit.Name, JsonSerializer.Deserialize<T>(await unit.AskAsync("report", run.Stopping))!);
        }

        return reports;
    }

    private bool Unsurprised()
    {
        string[] surprises = [.. All.SelectMany(static unit => unit.Surprises)];
        foreach (string surprise in surprises.Take(10))
        {
            run.Say(Terminal.Bad($"Not expected: {surprise}"));
        }

        return surprises.Length == 0;
    }
}
