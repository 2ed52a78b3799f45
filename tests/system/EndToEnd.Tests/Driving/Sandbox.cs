using System.Globalization;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>
/// One test's world: a folder of its own and the processes started in it. Its end kills them; the folder stays only if the test failed, and
/// is then named in the output.
/// </summary>
internal sealed class Sandbox : IAsyncDisposable
{
    private static int s_count;
    private readonly List<Child> _children = [];
    private readonly HashSet<NodeUnderTest> _nodes = [];
    private readonly ITestOutputHelper _output;
    private readonly Dictionary<string, int> _logs = [];
    private bool _passed;

    public Sandbox(ITestOutputHelper output)
    {
        _output = output;
        // Short, because the paths of sockets are limited to 107 bytes.
        Folder = Path.Combine(Path.GetTempPath(),
            string.Create(CultureInfo.InvariantCulture, $"amb-e2e-{Environment.ProcessId}-{Interlocked.Increment(ref s_count)}"));
        Directory.CreateDirectory(Path.Combine(Folder, "logs"));
    }

    public string Folder { get; }

    public string Store => "file:" + Path.Combine(Folder, "store");

    public string Catalog => "file:" + Path.Combine(Folder, "catalog");

    /// <summary>Processes of this test that are alive.</summary>
    public IReadOnlyList<Child> Alive
    {
        get
        {
            lock (_children)
            {
                return [.. _children.Where(static child => !child.HasExited)];
            }
        }
    }

    public void Say(string line) => _output.WriteLine(line);

    /// <summary>The test has held. Everything ends, the log of every node is run through its app once more, and then the folder may
    /// go.</summary>
    public async Task PassedAsync()
    {
        End();
        IEnumerable<NodeUnderTest> logged = _nodes.Where(static node => Directory.Exists(node.LogFolder))
            .DistinctBy(static node => node.LogFolder);
        await Parallel.ForEachAsync(logged, new ParallelOptions { MaxDegreeOfParallelism = 2 }, async (node, _) =>
            await LogReplay.VerifyAsync(this, node));

        _passed = true;
    }

    /// <summary>The test has held, and its logs are looked at in other ways: its folder may go.</summary>
    public void Passed() => _passed = true;

    /// <summary>A node that runs, or ran, in this world.</summary>
    public void Has(NodeUnderTest node)
    {
        lock (_children)
        {
            _nodes.Add(node);
        }
    }

    public void Own(Child child)
    {
        lock (_children)
        {
            _children.Add(child);
        }
    }

    public StreamWriter OpenLog(string name)
    {
        lock (_logs)
        {
            int number = _logs[name] = _logs.GetValueOrDefault(name) + 1;
            string path = Path.Combine(Folder, "logs", string.Create(CultureInfo.InvariantCulture, $"{name}-{number:d3}.log"));
            return new StreamWriter(path) { AutoFlush = true };
        }
    }

    public async ValueTask DisposeAsync()
    {
        End();

        if (_passed)
        {
            await Wait.UntilAsync("the folder can be deleted", () => TryDelete(Folder), TimeSpan.FromSeconds(10));
        }
        else
        {
            _output.WriteLine($"Logs, stores and sockets of this failure are kept in {Folder}");
        }
    }

    private void End()
    {
        foreach (Child child in _children)
        {
            // An embedded coordinator follows its app; it is only hurried.
            foreach (int grandchild in child.Children())
            {
                _ = Posix.Kill(grandchild, Posix.SignalKill);
            }

            child.Dispose();
        }

        _children.Clear();
    }

    // A process that is just dying may still make a file.
    private static bool TryDelete(string folder)
    {
        try
        {
            Directory.Delete(folder, recursive: true);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
    }
}
