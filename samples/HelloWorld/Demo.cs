using Ambrosia.Samples;

namespace HelloWorld;

/// <summary>Starts greeter and visitor, kills each of them once with SIGKILL in the middle, starts them again, and reads along.</summary>
internal sealed class Demo(SampleRun run)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly TaskCompletionSource _goodbye = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly object _gate = new();
    private readonly List<string> _heard = [];
    private SampleProcess? _greeter;
    private SampleProcess? _visitor;

    public async Task<bool> RunAsync()
    {
        _greeter = Start("greeter");
        _visitor = Start("visitor");
        await _goodbye.Task.WaitAsync(s_patience, run.Stopping);
        string[] expected = [.. Enumerable.Range(1, Visitor.Greetings).Select(static n => $"Hello, world! This is greeting {n}.")];
        if (!_heard.SequenceEqual(expected))
        {
            throw new SampleException($"Expected were {expected.Length} greetings in order; heard were: {string.Join(" ", _heard)}");
        }

        run.Say(Terminal.Good(
            $"{_heard.Count} greetings, each exactly once and in order, although both processes were killed on the way."));
        return true;
    }

    private SampleProcess Start(string role) => run.StartSelf([role], line => Read(role, line));

    private void Read(string role, string line)
    {
        run.Say($"  {role}  {SampleRun.WithoutTime(line)}");
        if (line.EndsWith("goodbye", StringComparison.Ordinal))
        {
            _goodbye.TrySetResult();
        }

        int at = line.IndexOf("heard: ", StringComparison.Ordinal);
        if (at < 0)
        {
            return;
        }

        int count;
        lock (_gate)
        {
            _heard.Add(line[(at + "heard: ".Length)..]);
            count = _heard.Count;
        }

        if (count == 2)
        {
            _greeter = Replace("greeter", _greeter!);
        }
        else if (count == 4)
        {
            _visitor = Replace("visitor", _visitor!);
        }
    }

    private SampleProcess Replace(string role, SampleProcess old)
    {
        run.Say(Terminal.Bold($"  kill -9 {old.Id} ({role})"));
        old.Kill();
        return Start(role);
    }
}
