namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>
/// What an operator's supervisor does: starts again whatever has ended. Processes that ended in another way than by a SIGKILL or because
/// their other half was gone are violations.
/// </summary>
internal sealed class Supervisor(IReadOnlyList<NodeUnderTest> nodes, History history) : IAsyncDisposable
{
    private static readonly int[] s_normal = [Child.Killed, AppUnavailable, AppLostCoordinator];
    private const int AppUnavailable = 69;
    private const int AppFailed = 70;
    private const int AppLostCoordinator = 75;
    private const int AppBuildRefused = 78;
    private readonly CancellationTokenSource _stop = new();
    private readonly HashSet<Child> _judged = [];
    private readonly object _gate = new();
    private readonly Dictionary<(NodeUnderTest, Side), string> _failpoints = [];
    private Task _running = Task.CompletedTask;

    /// <summary>SIGKILLs that processes gave themselves at failpoints.</summary>
    public int FailpointDeaths { get; private set; }

    public int Restarts { get; private set; }

    /// <summary>States are upgraded: an app may end because it was replaced, or because it finds a state of another version; a replica
    /// because it has followed as one.</summary>
    public bool Upgrades { get; init; }

    public void Start() => _running = Task.Run(RunAsync);

    /// <summary>The next start of this process gets the failpoint.</summary>
    public void Arm(NodeUnderTest node, Side side, string failpoint)
    {
        lock (_gate)
        {
            _failpoints[(node, side)] = failpoint;
        }
    }

    /// <summary>Nothing is started any more.</summary>
    public async Task StopAsync()
    {
        await _stop.CancelAsync();
        await _running;
    }

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            foreach (NodeUnderTest node in nodes)
            {
                if (node.HasCoordinator && IsGone(node, node.Coordinator))
                {
                    Restarts++;
                    node.StartCoordinator(Take(node, Side.Coordinator));
                }

                // Of the same app: it may be adopted in between.
                Child? app = node.App;
                if (IsGone(node, app) && (app is null || !node.IsReplaced(app)))
                {
                    Restarts++;
                    node.StartApp(Take(node, Side.App));
                }
            }

            await Task.Delay(10);
        }
    }

    private bool IsGone(NodeUnderTest node, Child? child)
    {
        if (child is not { HasExited: true })
        {
            return child is null;
        }

        if ((Upgrades || node.LeasesItsLog) && !child.Exited.IsCompleted)
        {
            return false; // Its last words, by which it is judged, are still being read.
        }

        if (_judged.Add(child))
        {
            if (child.ExitCode == Child.Killed && !child.WasKilled)
            {
                FailpointDeaths++;
                Report.CountKill();
            }

            if (!s_normal.Contains(child.ExitCode) && !(Upgrades && IsOfAnUpgrade(child)) && !(node.LeasesItsLog && LostItsLease(child)))
            {
                history.Violated($"{child.Name} ended with code {child.ExitCode}: {LastLine(child)}");
            }
        }

        return true;
    }

    private static bool IsOfAnUpgrade(Child child) =>
        child.ExitCode is AppFailed or AppBuildRefused or NodeUnderTest.AppReplaced
        || child.Output.Contains("IC-3010", StringComparison.Ordinal);

    // A service that does not answer in time on a busy machine takes the lease away, as it should.
    private static bool LostItsLease(Child child) => child.Output.Contains("IC-3005", StringComparison.Ordinal);

    private static string LastLine(Child child) => child.Output.Split('\n')[^1];

    private string Take(NodeUnderTest node, Side side)
    {
        lock (_gate)
        {
            return _failpoints.Remove((node, side), out string? failpoint) ? failpoint : "";
        }
    }
}
