using System.Diagnostics;
using Ambrosia.LogStore.Files;
using Ambrosia.PowerCut.Tests.Volumes;

namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>Sits in front of the real files, sees every call begin and end, and takes the power away once.</summary>
internal sealed class PowerSwitch(Volume volume, PowerPlan plan, CutMode mode, bool writeBack, int seed)
{
    private readonly object _gate = new();
    private readonly Dictionary<string, int> _running = [];
    private readonly TaskCompletionSource _off = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly HashSet<string> _files = [];
    private readonly List<SwitchedFile> _open = [];
    private int _passings;
    private int _cutting;

    /// <summary>Calls that were under way when the power went; empty when there were none.</summary>
    public IReadOnlyList<string> Interrupted { get; private set; } = [];

    /// <summary>Every call that was passed.</summary>
    public HashSet<string> Seen { get; } = [];

    public bool IsOff => _off.Task.IsCompleted;

    /// <summary>Whether calls may fail already.</summary>
    public bool IsGoing => Volatile.Read(ref _cutting) != 0;

    /// <summary>Completes when the power has gone.</summary>
    public Task Off => _off.Task;

    /// <summary>Called around every call.</summary>
    public async ValueTask<T> PassAsync<T>(string call, string path, Func<ValueTask<T>> run)
    {
        string name = $"{call} {FileKind.Of(path)}";
        bool here = Enter(name, path);
        if (here && plan.Place == CutPlace.Before)
        {
            Cut();
        }
        else if (here && plan.Place == CutPlace.During)
        {
            var thread = new Thread(() =>
            {
                Spin(plan.Micros);
                Cut();
            })
            { IsBackground = true };
            thread.Start();
        }

        try
        {
            T result = await run();
            if (IsGoing)
            {
                // Nobody is left to see it: the machine died while the call was under way. It must not count as confirmed either, because
                // ext4 lets a sync that is interrupted by its shutdown return success.
                Keep(result);
                throw new FileFailedException(call, path, Errno.EIO);
            }

            if (here && plan.Place == CutPlace.After)
            {
                Cut();
            }

            Keep(result);
            return result;
        }
        finally
        {
            lock (_gate)
            {
                _running[name]--;
            }
        }
    }

    /// <summary>What the end of the process does to files that nobody closed.</summary>
    public async Task CloseAsync()
    {
        foreach (SwitchedFile file in _open)
        {
            await file.DisposeAsync();
        }
    }

    public void Cut()
    {
        if (Interlocked.Exchange(ref _cutting, 1) != 0)
        {
            _off.Task.Wait(); // A caller that returns from here finds the power off.
            return;
        }

        lock (_gate)
        {
            Interrupted = [.. _running.Where(static pair => pair.Value > 0).Select(static pair => pair.Key).Order()];
        }

        if (writeBack)
        {
            var random = new Random(seed);
            foreach (string file in RecentFiles())
            {
                Volume.WriteSomePages(file, random);
            }
        }

        volume.Cut(mode);
        _off.SetResult();
    }

    private void Keep(object? result)
    {
        if (result is SwitchedFile file)
        {
            lock (_gate)
            {
                _open.Add(file);
            }
        }
    }

    private static void Spin(int micros)
    {
        long end = Stopwatch.GetTimestamp() + (micros * Stopwatch.Frequency / 1_000_000);
        while (Stopwatch.GetTimestamp() < end)
        {
            Thread.SpinWait(20);
        }
    }

    private bool Enter(string name, string path)
    {
        lock (_gate)
        {
            _running[name] = _running.GetValueOrDefault(name) + 1;
            Seen.Add(name);
            if (name.StartsWith("pwrite", StringComparison.Ordinal))
            {
                _files.Add(path);
            }

            return name == plan.Call && ++_passings == plan.Passing;
        }
    }

    private string[] RecentFiles()
    {
        lock (_gate)
        {
            return [.. _files];
        }
    }
}
