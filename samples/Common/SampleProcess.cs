using System.Diagnostics;

namespace Ambrosia.Samples;

/// <summary>
/// A process that a sample started: this program in another role, or a coordinator. It is killed by its id only. Its standard input is a
/// pipe that the sample holds: when the sample ends, however it ends, the pipe ends, and the process with it.
/// </summary>
internal sealed class SampleProcess : IDisposable
{
    private readonly Process _process;
    private readonly Action<string> _onLine;

    private SampleProcess(ProcessStartInfo start, Action<string> onLine)
    {
        _onLine = onLine;
        _process = new Process { StartInfo = start, EnableRaisingEvents = true };
        _process.OutputDataReceived += (_, line) => Take(line.Data);
        _process.ErrorDataReceived += (_, line) => Take(line.Data);
    }

    public int Id => _process.Id;

    public bool HasExited => _process.HasExited;

    /// <summary>Ends with the process and after its last line was taken; gives its exit code (137: killed).</summary>
    public required Task<int> Exited { get; init; }

    /// <summary>Starts this program again.</summary>
    /// <param name="arguments">Its role first.</param>
    /// <param name="onLine">Gets each line that it prints, on any thread.</param>
    public static SampleProcess StartSelf(IEnumerable<string> arguments, Action<string> onLine)
    {
        string program = Environment.ProcessPath ?? throw new InvalidOperationException("This program does not know its own path.");
        bool byHost = Path.GetFileNameWithoutExtension(program) == "dotnet"; // dotnet Sample.dll
        return Start(program, byHost ? [Environment.GetCommandLineArgs()[0], .. arguments] : arguments, onLine);
    }

    /// <summary>Starts any program.</summary>
    public static SampleProcess Start(string program, IEnumerable<string> arguments, Action<string> onLine)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            UseShellExecute = false,
        };
        var ended = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        var process = new SampleProcess(start, onLine) { Exited = ended.Task };
        process._process.Start();
        process._process.BeginOutputReadLine();
        process._process.BeginErrorReadLine();
        _ = process.WaitAsync(ended);
        return process;
    }

    /// <summary>Writes a line to its standard input; nothing happens if it is gone.</summary>
    public async Task SendAsync(string line)
    {
        try
        {
            await _process.StandardInput.WriteLineAsync(line);
            await _process.StandardInput.FlushAsync();
        }
        catch (IOException)
        {
            // Killed in between: the sender looks at Exited, too.
        }
    }

    /// <summary>SIGKILL: the process gets no chance to do anything more.</summary>
    /// <returns>False if it was gone already.</returns>
    public bool Kill()
    {
        if (_process.HasExited)
        {
            return false;
        }

        _process.Kill();
        return true;
    }

    public void Dispose() => _process.Dispose();

    private async Task WaitAsync(TaskCompletionSource<int> ended)
    {
        await _process.WaitForExitAsync();
        ended.SetResult(_process.ExitCode);
    }

    private void Take(string? line)
    {
        if (!string.IsNullOrEmpty(line))
        {
            _onLine(line);
        }
    }
}
