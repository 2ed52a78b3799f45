using System.Diagnostics;
using System.Text;
using Ambrosia.Coordinator.Errors;
using Ambrosia.Primitives.Errors;

namespace Ambrosia.ImmortalCoordinator.Tests.Support;

/// <summary>A real coordinator process with a home of its own, and everything that it says.</summary>
public sealed class CoordinatorUnderTest : IDisposable
{
    // The native executable passes the same tests: AMBROSIA_COORDINATOR=artifacts/coordinator/Ambrosia.ImmortalCoordinator.
    private static readonly string s_executable =
        Environment.GetEnvironmentVariable("AMBROSIA_COORDINATOR")
        ?? Path.Combine(AppContext.BaseDirectory, "Ambrosia.ImmortalCoordinator");

    private readonly StringBuilder _lines = new();

    public CoordinatorUnderTest(TemporaryFolder home, params string[] arguments)
        : this(home, [], arguments)
    {
    }

    public CoordinatorUnderTest(TemporaryFolder home, (string Name, string Value)[] variables, string[] arguments)
    {
        var start = new ProcessStartInfo(s_executable, arguments)
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["AMBROSIA_HOME"] = home.Path;
        start.Environment["XDG_RUNTIME_DIR"] = home.Path;
        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        Process = Process.Start(start)!;
        Process.OutputDataReceived += Take;
        Process.ErrorDataReceived += Take;
        Process.BeginOutputReadLine();
        Process.BeginErrorReadLine();
    }

    public Process Process { get; }

    public string Said
    {
        get
        {
            lock (_lines)
            {
                return _lines.ToString();
            }
        }
    }

    public Task SaysAsync(string text) => Within.Until(() =>
        Said.Contains(text, StringComparison.Ordinal)
        || (Process.HasExited ? throw new InvalidOperationException($"ended without saying '{text}': {Said}") : false));

    public async Task<ExitCode> EndAsync()
    {
        await Process.WaitForExitAsync().OrFail();
        return (ExitCode)Process.ExitCode;
    }

    public void Signal(string name)
    {
        using Process kill = Process.Start("kill", ["-" + name, Process.Id.ToString(System.Globalization.CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
    }

    public void Dispose()
    {
        if (!Process.HasExited)
        {
            Process.Kill();
            Process.WaitForExit();
        }

        Process.Dispose();
    }

    private void Take(object sender, DataReceivedEventArgs line)
    {
        lock (_lines)
        {
            _lines.AppendLine(line.Data);
        }
    }
}
