using Ambrosia.Samples;

namespace Upgrade;

/// <summary>A ticket office that sells all the time: an upgrade that fails, which nobody notices, and one that works, which nobody notices
/// either.</summary>
internal sealed class Demo(SampleRun run)
{
    private const int Replaced = 76;
    private const int UpgradeFailed = 77;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly TaskCompletionSource<string> _books = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private volatile bool _wrong;

    private string Socket => Path.Combine(run.Folder, "tickets.sock");

    public async Task<bool> RunAsync()
    {
        // The coordinator is a process of its own here, as beside a service: it stays, the apps change.
        string coordinator = Path.Combine(AppContext.BaseDirectory, "coordinator", "Ambrosia.ImmortalCoordinator");
        run.Start(
            coordinator, ["--instance-name", "tickets", "--store", run.Store, "--catalog", run.Catalog, "--binding-socket", Socket,
                "--owner-pipe"],
            line => run.Say($"  coordinator  {line}"));
        SampleProcess first = Start("v1");
        run.StartSelf(["door"], ReadDoor);
        await _open.Task.WaitAsync(s_patience, run.Stopping);

        run.Say(Terminal.Bold("  An upgrade with a conversion that throws:"));
        int code = await Start("v2-broken", "--upgrade", "true").Exited.WaitAsync(s_patience, run.Stopping);
        Require(code == UpgradeFailed
            && !first.HasExited, $"the broken version ended with {code}, the first one {(first.HasExited ? "has gone" : "serves")}");

        run.Say(Terminal.Bold("  The same with one that works:"));
        Start("v2", "--upgrade", "true");
        code = await first.Exited.WaitAsync(s_patience, run.Stopping);
        Require(code == Replaced, $"the first version ended with {code}");

        string books = await _books.Task.WaitAsync(s_patience, run.Stopping);
        Require(!_wrong && books.Contains("1 patron", StringComparison.Ordinal)
            && books.Contains($"{Door.Guests + 1} tickets for {(Door.Guests / 3 * (450 + 900 + 900) / 100) + 50} euros",
                StringComparison.Ordinal), $"the books say {books}");
        run.Say(Terminal.Good(
            $"Each of {Door.Guests} visitors got one ticket, in order, and the ticket that was held all the time was sold by the "
            + $"second version."));
        return true;
    }

    private static void Require(bool good, string otherwise)
    {
        if (!good)
        {
            throw new SampleException(otherwise);
        }
    }

    private SampleProcess Start(string version, params string[] more) =>
        run.StartSelf([version, "--binding-socket", Socket, .. more], line => run.Say($"  {version}  {SampleRun.WithoutTime(line)}"));

    private void ReadDoor(string line)
    {
        run.Say($"  door  {SampleRun.WithoutTime(line)}");
        _wrong |= line.Contains("wrong: ", StringComparison.Ordinal);
        if (line.Contains("visitors: 50", StringComparison.Ordinal))
        {
            _open.TrySetResult();
        }

        int at = line.IndexOf("books: ", StringComparison.Ordinal);
        if (at >= 0)
        {
            _books.TrySetResult(line[at..]);
        }
    }
}
