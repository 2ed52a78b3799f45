using Ambrosia.Samples;

namespace Timers;

/// <summary>
/// Starts the immortal, hands it what is typed, and kills it when asked. Without a keyboard it takes the lines of its standard input, or
/// plays a scene of its own.
/// </summary>
internal sealed class Demo(SampleRun run)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private static readonly string[] s_scene = ["1 first", "3 third", "2 second", "list", "kill", "list"];
    private readonly object _gate = new();
    private readonly List<string> _given = [];
    private TaskCompletionSource _ready = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TaskCompletionSource<string>? _answer;
    private SampleProcess? _process;
    private int _expected;

    public async Task<bool> RunAsync()
    {
        Start();
        await _ready.Task.WaitAsync(s_patience, run.Stopping);
        if (Console.IsInputRedirected)
        {
            await PlayAsync();
        }
        else
        {
            await ConverseAsync();
        }

        return true;
    }

    // At a terminal: until "quit", Ctrl+D or Ctrl+C.
    private async Task ConverseAsync()
    {
        run.Say("""
            Write a number of seconds and a text, as in "5 tea is ready"; "list"; "kill" for kill -9 of the process; "quit".
            """);
        while (await ReadLineAsync() is { } line && line.Trim() is not ("quit" or "exit"))
        {
            await DoAsync(line.Trim());
        }
    }

    // Console.In would block the only thread that could see Ctrl+C.
    private async Task<string?> ReadLineAsync() => await Task.Run(Console.In.ReadLine).WaitAsync(run.Stopping);

    private async Task PlayAsync()
    {
        string[] lines = [.. (await Console.In.ReadToEndAsync(run.Stopping))
            .Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)];
        foreach (string line in lines.Length > 0 ? lines : s_scene)
        {
            run.Say(Terminal.Bold($"> {line}"));
            await DoAsync(line);
        }

        string list;
        while (!(list = await AskAsync("list")).StartsWith("0 to come", StringComparison.Ordinal))
        {
            await Task.Delay(200, run.Stopping);
        }

        lock (_gate)
        {
            if (!list.Contains($"{_expected} given", StringComparison.Ordinal) || _given.Count != _given.Distinct().Count())
            {
                throw new SampleException(
                    $"{_expected} reminders were asked for; the immortal says: {list}; seen were: {string.Join(", ", _given)}");
            }
        }

        run.Say(Terminal.Good($"{_expected} reminders, each given once."));
    }

    private async Task DoAsync(string line)
    {
        if (line == "kill")
        {
            await KillAsync();
        }
        else if (line.Length > 0)
        {
            string answer = await AskAsync(line);
            run.Say($"  {answer}");
            if (answer.StartsWith("will say", StringComparison.Ordinal))
            {
                _expected++;
            }
        }
    }

    private async Task KillAsync()
    {
        run.Say(Terminal.Bold($"  kill -9 {_process!.Id}"));
        _ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        _process.Kill();
        await _process.Exited;
        Start();
        await _ready.Task.WaitAsync(s_patience, run.Stopping);
    }

    private async Task<string> AskAsync(string line)
    {
        var answer = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            _answer = answer;
        }

        await _process!.SendAsync(line);
        return await answer.Task.WaitAsync(s_patience, run.Stopping);
    }

    private void Start() => _process = run.StartSelf(["reminders"], Read);

    private void Read(string line)
    {
        lock (_gate)
        {
            string text = SampleRun.WithoutTime(line);
            if (text == Keyboard.Ready)
            {
                _ready.TrySetResult();
            }
            else if (text.StartsWith(Keyboard.Answer, StringComparison.Ordinal))
            {
                _answer?.TrySetResult(text[Keyboard.Answer.Length..]);
            }
            else
            {
                if (text.StartsWith("reminder: ", StringComparison.Ordinal))
                {
                    _given.Add(text);
                }

                run.Say($"  {text}");
            }
        }
    }
}
