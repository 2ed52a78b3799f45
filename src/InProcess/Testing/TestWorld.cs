using System.IO.Pipelines;
using Ambrosia.Coordinator.Transport.Memory;
using Ambrosia.LogStore.Files.Memory;
using Ambrosia.Testing.Virtual;

namespace Ambrosia.Testing;

/// <summary>What the immortals of one test share: time, network, catalog. Used by one thread at a time.</summary>
internal sealed class TestWorld
{
    private readonly List<TestNode> _nodes = [];
    private string? _broken;

    public TestWorld(ImmortalTestOptions options)
    {
        Options = options;
        Loop = new VirtualLoop(options.Seed);
        Add(Caller.Name, Caller.Create, new ImmortalOptions { Resolver = options.Resolver });
    }

    public ImmortalTestOptions Options { get; }

    public VirtualLoop Loop { get; }

    // Inline: everything that waits for a pipe is posted to its own context, without a way round through the thread pool.
    public MemoryNetwork Network { get; } = new(new MemoryNetworkOptions { Scheduler = PipeScheduler.Inline });

    public MemoryFileSystem CatalogDisk { get; } = new();

    public TestNode CallerNode => _nodes[0];

    public void Add(string name, Func<Immortal> create, ImmortalOptions options)
    {
        if (_nodes.Exists(node => node.Name == name))
        {
            _broken ??= $"There are two immortals '{name}' in this world.";
            return;
        }

        options.InstanceName = name;
        var node = new TestNode(name, create, options, this);
        _nodes.Add(node);
        node.Start();
    }

    public TestNode Get(string name) => _nodes.Find(node => node.Name == name)
        ?? throw new ImmortalTestException(
            $"There is no immortal '{name}' in this world; there are: "
            + $"{string.Join(", ", _nodes.Skip(1).Select(static node => node.Name))}.");

    /// <summary>Hands a call to the caller, on its own context.</summary>
    public void Begin(WorldCall call)
    {
        // The caller's object is made when its app starts, which may be only now.
        while (CallerNode.Immortal is null && Loop.Step(long.MaxValue))
        {
        }

        ThrowIfBroken();
        CallerNode.AppContext!.Post(_ => ((Caller)CallerNode.Immortal!).Begin(call), null);
    }

    /// <summary>Runs until something is so.</summary>
    /// <exception cref="ImmortalTestException">It never becomes so.</exception>
    public void RunUntil(Func<bool> done, string what)
    {
        long deadline = Loop.Now + Options.Patience.Ticks;
        long lastStep = Loop.Steps + Options.StepLimit;
        ThrowIfBroken();
        while (!done())
        {
            bool moved = Loop.Step(deadline);
            ThrowIfBroken();
            if (!moved && !done())
            {
                throw Stuck($"{what}: not within {Options.Patience} of virtual time. Is it waiting for a durable timer? Then AdvanceAsync "
                    + $"first. Is somebody down? Then StartAsync.");
            }

            ThrowIfEndless(what, lastStep);
        }
    }

    /// <summary>Lets time pass, and everything happen that is due meanwhile.</summary>
    public void Advance(TimeSpan time)
    {
        long until = Loop.Now + time.Ticks;
        long lastStep = Loop.Steps + Options.StepLimit;
        ThrowIfBroken();
        while (Loop.Step(until))
        {
            ThrowIfBroken();
            ThrowIfEndless($"{time} of virtual time", lastStep);
        }
    }

    /// <summary>Runs a number of steps without letting time pass.</summary>
    /// <returns>How many there were to run.</returns>
    public int Run(int steps)
    {
        int run = 0;
        while (run < steps && Loop.RunOne())
        {
            run++;
            ThrowIfBroken();
        }

        return run;
    }

    public bool IsIdle() => _nodes.TrueForAll(static node => node.IsIdle);

    public void End()
    {
        foreach (TestNode node in _nodes)
        {
            node.Kill(Killed.Process);
        }
    }

    private void ThrowIfEndless(string what, long lastStep)
    {
        if (Loop.Steps >= lastStep)
        {
            throw Stuck($"{what}: not within {Options.StepLimit} steps. Do immortals keep each other busy for ever?");
        }
    }

    private void ThrowIfBroken()
    {
        if (_broken is not null)
        {
            throw new ImmortalTestException(_broken);
        }

        if (_nodes.Find(static node => node.Trouble is not null) is { } node)
        {
            throw new ImmortalTestException($"{char.ToUpperInvariant(node.Trouble![0])}{node.Trouble[1..]}", node.Cause);
        }

        if (Loop.Escaped is { } escaped)
        {
            throw new ImmortalTestException($"An exception was caught by nobody: {escaped.Message}", escaped);
        }
    }

    private ImmortalTestException Stuck(string what) => new(
        $"{what}\n{VirtualTime.At(Loop.Now):u}, seed {Options.Seed}, step "
        + $"{Loop.Steps}\n{string.Join('\n', _nodes.Select(static node => node.Describe()))}");
}
