using Ambrosia.Samples;

namespace Orders;

/// <summary>One immortal of the scene, in a process of its own.</summary>
internal sealed class Part(SampleRun run, string name, string[] arguments)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly object _gate = new();
    private TaskCompletionSource<string> _awaited = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private string _beginning = "";
    private SampleProcess? _process;

    public Task StartAsync()
    {
        Task<string> ready = Await(Desk.Ready);
        _process = run.StartSelf(arguments, Read);
        return ready.WaitAsync(s_patience, run.Stopping);
    }

    /// <summary>SIGKILL.</summary>
    public async Task KillAsync()
    {
        run.Say(Terminal.Bold($"  kill -9 {_process!.Id} ({name})"));
        _process.Kill();
        await _process.Exited;
    }

    /// <summary>Says a line and gives the rest of the line that answers.</summary>
    public Task<string> AskAsync(string line) => SayAsync(line, Desk.Answer);

    /// <summary>Says a line and gives the rest of the first line that begins so.</summary>
    public async Task<string> SayAsync(string line, string beginning)
    {
        Task<string> awaited = Await(beginning);
        await _process!.SendAsync(line);
        return await awaited.WaitAsync(s_patience, run.Stopping);
    }

    /// <summary>The rest of the next line that begins so.</summary>
    public Task<string> Await(string beginning)
    {
        lock (_gate)
        {
            _beginning = beginning;
            _awaited = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
            return _awaited.Task.WaitAsync(s_patience, run.Stopping);
        }
    }

    private void Read(string line)
    {
        string text = SampleRun.WithoutTime(line);
        if (!text.StartsWith(Desk.Answer, StringComparison.Ordinal))
        {
            run.Say($"  {name}: {text}");
        }

        lock (_gate)
        {
            if (_beginning.Length > 0 && text.StartsWith(_beginning, StringComparison.Ordinal))
            {
                string beginning = _beginning;
                _beginning = "";
                _awaited.TrySetResult(text[beginning.Length..]);
            }
        }
    }
}
