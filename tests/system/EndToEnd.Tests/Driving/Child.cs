using System.Diagnostics;
using System.Globalization;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>One process that a test started. Its output goes to a file; its standard input is held open, so that it ends with the
/// test.</summary>
internal sealed class Child : IDisposable
{
    private readonly Process _process;
    private readonly StreamWriter _log;
    private readonly List<string> _lines = [];
    private bool _logClosed;

    private Child(Process process, string name, StreamWriter log)
    {
        (_process, Name, _log) = (process, name, log);
        process.EnableRaisingEvents = true;
        process.OutputDataReceived += (_, line) => Keep(line.Data);
        process.ErrorDataReceived += (_, line) => Keep(line.Data);
    }

    /// <summary>Exit code of a process that a SIGKILL ended.</summary>
    public const int Killed = 128 + 9;

    public string Name { get; }

    public int Id { get; private set; }

    public bool HasExited => _process.HasExited;

    public int ExitCode => _process.ExitCode;

    /// <summary>Completes when the process has ended and all it wrote was read.</summary>
    public Task Exited { get; private set; } = Task.CompletedTask;

    /// <summary>True once the test itself killed it.</summary>
    public bool WasKilled { get; private set; }

    public static Child Start(Sandbox sandbox, string name, string executable, IEnumerable<string> arguments,
        params (string Name, string Value)[] environment)
    {
        var start = new ProcessStartInfo(executable)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = sandbox.Folder,
        };
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        start.Environment["AMBROSIA_HOME"] = sandbox.Folder;
        start.Environment["XDG_RUNTIME_DIR"] = sandbox.Folder;
        start.Environment.Remove("AMBROSIA_FAILPOINT");
        foreach ((string variable, string value) in environment)
        {
            start.Environment[variable] = value;
        }

        StreamWriter log = sandbox.OpenLog(name);
        var child = new Child(new Process { StartInfo = start }, name, log);
        child.Launch();
        sandbox.Own(child);
        return child;
    }

    /// <summary>Everything it wrote so far.</summary>
    public string Output
    {
        get
        {
            lock (_lines)
            {
                return string.Join('\n', _lines);
            }
        }
    }

    /// <summary>SIGKILL; returns when the process is gone. False if it was gone already.</summary>
    public async Task<bool> KillAsync()
    {
        bool alive = !_process.HasExited;
        WasKilled |= alive;
        _process.Kill();
        await Exited;
        bool killed = alive && _process.ExitCode == Killed;
        if (killed)
        {
            Report.CountKill();
        }

        return killed;
    }

    /// <summary>Closes its standard input: its owner has gone.</summary>
    public void CloseInput() => _process.StandardInput.Close();

    /// <summary>Sends another signal than SIGKILL.</summary>
    public void Signal(int signal) => _ = Posix.Kill(Id, signal);

    /// <summary>SIGSTOP; returns when every thread stands still. The signal alone is not enough: kill(2) returns before the
    /// threads are stopped, and on a busy machine one of them was seen to run for 26 ms more, long enough to answer a call.</summary>
    public Task StopAsync()
    {
        Signal(Posix.Stop);
        return Wait.UntilAsync($"{Name} stands still", () => States().All(static state => state == 'T'), TimeSpan.FromSeconds(30));
    }

    private List<char> States()
    {
        var states = new List<char>();
        foreach (string thread in Directory.GetDirectories($"/proc/{Id}/task"))
        {
            try
            {
                // "id (name) S ...": the name may hold spaces and brackets itself.
                string line = File.ReadAllText(Path.Combine(thread, "stat"));
                states.Add(line[line.LastIndexOf(')') + 2]);
            }
            catch (IOException)
            {
                // The thread ended while its folder was listed.
            }
        }

        return states;
    }

    /// <summary>Processes that it started and that are alive.</summary>
    public IReadOnlyList<int> Children()
    {
        string path = $"/proc/{Id}/task/{Id}/children";
        var found = new List<int>();
        foreach (string task in Directory.Exists($"/proc/{Id}/task") ? Directory.GetDirectories($"/proc/{Id}/task") : [])
        {
            path = Path.Combine(task, "children");
            try
            {
                found.AddRange(File.ReadAllText(path).Split(' ', StringSplitOptions.RemoveEmptyEntries)
                    .Select(static id => int.Parse(id, CultureInfo.InvariantCulture)));
            }
            catch (IOException)
            {
                // The thread ended while its folder was listed.
            }
        }

        return found;
    }

    /// <summary>Resident bytes now; 0 when it has ended.</summary>
    public long ResidentBytes() => ProcessMemory.Resident(Id);

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        lock (_lines)
        {
            _logClosed = true;
            _log.Dispose();
        }

        _process.Dispose();
    }

    private void Launch()
    {
        _process.Start();
        Id = _process.Id;
        _process.BeginOutputReadLine();
        _process.BeginErrorReadLine();
        Exited = _process.WaitForExitAsync();
    }

    private void Keep(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_lines)
        {
            _lines.Add(line);
            if (!_logClosed)
            {
                _log.WriteLine(line);
            }
        }
    }
}
