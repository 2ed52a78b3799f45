using System.Diagnostics;

namespace Ambrosia.SilentHosts.Tests.Hosts;

/// <summary>
/// A process that does nothing but keep a network namespace alive. It ends when its standard input does, so that with the test, however
/// that ends, the namespace and everything in it go: no name of it stands anywhere.
/// </summary>
internal sealed class Holder : IDisposable
{
    private readonly Process _process;

    private Holder(Process process, string space) => (_process, Space) = (process, space);

    public int Id => _process.Id;

    /// <summary>The namespace as the kernel names it, <c>net:[4026532...]</c>.</summary>
    public string Space { get; }

    public static async Task<Holder> StartAsync()
    {
        string ours = SpaceOf("self")!;
        var start = new ProcessStartInfo("unshare")
            { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        start.ArgumentList.Add("--net");
        start.ArgumentList.Add("cat");
        Process process = Process.Start(start) ?? throw new InvalidOperationException("unshare (util-linux) cannot be started.");
        var watch = Stopwatch.StartNew();
        while (true)
        {
            string? space = process.HasExited ? null : SpaceOf(process.Id.ToString(System.Globalization.CultureInfo.InvariantCulture));
            if (space is not null && space != ours)
            {
                return new Holder(process, space);
            }

            if (process.HasExited || watch.Elapsed > TimeSpan.FromSeconds(30))
            {
                throw new InvalidOperationException(
                    $"Network namespaces are needed, which takes root: {await process.StandardError.ReadToEndAsync()}");
            }

            await Task.Delay(5);
        }
    }

    /// <summary>The network namespace of a process; null when it has ended or may not be looked at.</summary>
    public static string? SpaceOf(string process)
    {
        try
        {
            return new FileInfo($"/proc/{process}/ns/net").LinkTarget;
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }
}
