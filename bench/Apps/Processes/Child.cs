using System.Diagnostics;
using Ambrosia.Samples;

namespace Ambrosia.Bench.Processes;

/// <summary>One process of a benchmark: its processor time, and a way to wait for a line that it prints.</summary>
internal sealed class Child : IAsyncDisposable
{
    private const int KeptLines = 10;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(90);
    private readonly object _gate = new();
    private readonly Queue<string> _lines = new();
    private readonly SampleProcess _process;
    private readonly Process _counters;
    private string _expected = "";
    private TaskCompletionSource<string>? _waiting;

    /// <summary>Starts another program, or this one in another role if <paramref name="program"/> is null.</summary>
    public Child(string name, string? program, params string[] arguments)
    {
        Name = name;
        _process = program is null ? SampleProcess.StartSelf(arguments, Read) : SampleProcess.Start(program, arguments, Read);
        _counters = Process.GetProcessById(_process.Id);
    }

    public string Name { get; }

    public int Id => _process.Id;

    /// <summary>What it wrote last.</summary>
    public string LastWords
    {
        get
        {
            lock (_gate)
            {
                return string.Join("\n  ", _lines);
            }
        }
    }

    /// <summary>User and system time so far, in seconds.</summary>
    public double ProcessorSeconds()
    {
        _counters.Refresh();
        return _counters.TotalProcessorTime.TotalSeconds;
    }

    /// <summary>Resident memory in MB.</summary>
    public double ResidentMegabytes()
    {
        _counters.Refresh();
        return _counters.WorkingSet64 / 1e6;
    }

    /// <summary>The next line that begins with <paramref name="start"/>. To be called before that which makes the process print it; what
    /// that takes by itself comes on top of the patience.</summary>
    public async Task<string> ExpectAsync(string start, Func<Task> cause, double seconds = 0)
    {
        var line = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            // A line that came before anybody waited for it counts: "ready" may.
            if (_lines.FirstOrDefault(text => text.StartsWith(start, StringComparison.Ordinal)) is { } early)
            {
                return early;
            }

            (_expected, _waiting) = (start, line);
        }

        await cause();
        Task first = await Task.WhenAny(line.Task, _process.Exited, Task.Delay(s_patience + TimeSpan.FromSeconds(seconds)));
        return first == line.Task
            ? await line.Task
            : throw new ChildFailedException($"{Name} {(first == _process.Exited ? "ended" : "did not answer")}. It said:\n  {LastWords}");
    }

    /// <summary>Waits for a line that the process prints by itself.</summary>
    public Task<string> ExpectAsync(string start) => ExpectAsync(start, static () => Task.CompletedTask);

    /// <summary>Sends a command that takes so many seconds and waits for the line that answers it.</summary>
    public Task<string> AskAsync(string command, string answer, double seconds = 0)
    {
        lock (_gate)
        {
            _lines.Clear();
        }

        return ExpectAsync(answer, () => _process.SendAsync(command), seconds);
    }

    /// <summary>SIGKILL, at once.</summary>
    public void Kill() => _process.Kill();

    public async ValueTask DisposeAsync()
    {
        _process.Kill();
        await _process.Exited;
        _process.Dispose();
        _counters.Dispose();
    }

    private void Read(string line)
    {
        lock (_gate)
        {
            _lines.Enqueue(line);
            if (_lines.Count > KeptLines)
            {
                _lines.Dequeue();
            }

            if (_waiting is not null && line.StartsWith(_expected, StringComparison.Ordinal))
            {
                _waiting.TrySetResult(line);
                _waiting = null;
            }
        }
    }
}
