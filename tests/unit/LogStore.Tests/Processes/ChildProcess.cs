using System.Diagnostics;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>This assembly as another process.</summary>
internal sealed class ChildProcess : IDisposable
{
    private readonly Process _process;

    private ChildProcess(Process process) => _process = process;

    public static ChildProcess Start(IReadOnlyDictionary<string, string> environment, params string[] arguments)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath is { } host && Path.GetFileNameWithoutExtension(host) == "dotnet" ? host
            : "dotnet")
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
        };
        start.ArgumentList.Add("exec");
        start.ArgumentList.Add(typeof(ChildProcess).Assembly.Location);
        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return new ChildProcess(Process.Start(start)!);
    }

    public int Id => _process.Id;

    public async Task<string?> ReadLineAsync() => await _process.StandardOutput.ReadLineAsync();

    public void WriteLine(string line) => _process.StandardInput.WriteLine(line);

    /// <summary>SIGKILL.</summary>
    public void Kill() => _process.Kill();

    public async Task<(int ExitCode, string[] Output, string Error)> EndAsync()
    {
        Task<string> output = _process.StandardOutput.ReadToEndAsync();
        Task<string> error = _process.StandardError.ReadToEndAsync();
        await _process.WaitForExitAsync().WaitAsync(TimeSpan.FromMinutes(2));
        return (_process.ExitCode, (await output).Split('\n', StringSplitOptions.RemoveEmptyEntries), await error);
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.Dispose();
    }
}
