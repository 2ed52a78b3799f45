using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using Ambrosia.Samples;

namespace Shop.Demonstration;

/// <summary>The whole shop, started by 'ambrosia run -f app.json'. What is killed comes back by itself.</summary>
internal sealed class Stage(SampleRun run)
{
    private const int Terminate = 15;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);
    private readonly Lines _lines = new();
    private SampleProcess? _process;

    /// <summary>Processes that were killed.</summary>
    public int Kills { get; private set; }

    /// <summary>The command, which the build of this sample makes, too. This program lies in samples/Shop/bin/Release/net8.0.</summary>
    private static string Command => Path.GetFullPath(Path.Combine(AppContext.BaseDirectory, "../../../../../src/Ambrosia/bin",
        Path.GetFileName(Path.GetDirectoryName(AppContext.BaseDirectory.TrimEnd('/'))!),
        Path.GetFileName(AppContext.BaseDirectory.TrimEnd('/')), "ambrosia"));

    /// <summary>A shop for a person; Ctrl+C ends it, and the next one goes on where it was.</summary>
    public static async Task<int> ServeAsync()
    {
        SetDefault("AMBROSIA_HOME", Path.Combine(Settings.Data, "ambrosia"));
        SetDefault("SHOP_PAYMENT_TIME", "00:00:45");
        SetDefault("SHOP_REPORT_AT", "*/30 * * * * *");
        Console.WriteLine($"Open {Settings.Web} in a browser. Ctrl+C ends the shop; started again, it goes on where it was.");
        Console.WriteLine($"All that it keeps lies in {Settings.Data}");
        using PosixSignalRegistration ignored = PosixSignalRegistration.Create(PosixSignal.SIGINT, static signal => signal.Cancel = true);
        using Process shop = Process.Start(Command, ["run", "-f", Path.Combine(AppContext.BaseDirectory, "app.json")]);
        using PosixSignalRegistration passed = PosixSignalRegistration.Create(PosixSignal.SIGTERM, signal =>
        {
            signal.Cancel = true;
            _ = SendSignal(shop.Id, Terminate);
        });
        await shop.WaitForExitAsync();
        return shop.ExitCode;
    }

    /// <summary>Starts it, with ports that are free and data in the folder of this run.</summary>
    public async Task<string> StartAsync()
    {
        (string web, string orders, string warehouse) = FreePorts();
        Environment.SetEnvironmentVariable("AMBROSIA_HOME", Path.Combine(run.Folder, "ambrosia"));
        Environment.SetEnvironmentVariable("SHOP_DATA", run.Folder);
        Environment.SetEnvironmentVariable("SHOP_WEB", $"http://127.0.0.1:{web}");
        Environment.SetEnvironmentVariable("SHOP_ORDERS", $"http://127.0.0.1:{orders}");
        Environment.SetEnvironmentVariable("SHOP_WAREHOUSE", $"http://127.0.0.1:{warehouse}");
        string file = Path.Combine(run.Folder, "app.json");
        string here = AppContext.BaseDirectory;
        string text = await File.ReadAllTextAsync(Path.Combine(here, "app.json"), run.Stopping);
        await File.WriteAllTextAsync(
            file,
            text.Replace(":8601", $":{orders}").Replace(":8602", $":{warehouse}").Replace("Shop.dll", Path.Combine(here, "Shop.dll")),
            run.Stopping);

        Task open = AwaitAsync("s to pay");
        Task ready = AwaitAsync("all immortals are ready");
        _process = run.Start(Command, ["run", "-f", file], Take);
        await await Task.WhenAny(Task.WhenAll(open, ready), EndedAsync(_process));
        return Settings.Web;
    }

    /// <summary>SIGKILL, to a process of the shop. One that is just being started again is waited for.</summary>
    public async Task KillAsync(params string[] parts)
    {
        foreach (string part in parts)
        {
            run.Say(Terminal.Bold($"  kill -9 ({part})"));
            for (long since = Environment.TickCount64; !Parts.Kill(_process!.Id, part); await Task.Delay(20, run.Stopping))
            {
                if (Environment.TickCount64 - since > s_patience.TotalMilliseconds)
                {
                    throw new SampleException($"{part} did not come back within {s_patience.TotalSeconds:0} s");
                }
            }

            Kills++;
        }
    }

    /// <summary>Ends when the shop says a line that holds this.</summary>
    public Task AwaitAsync(string text) => _lines.AwaitAsync(text).WaitAsync(s_patience, run.Stopping);

    /// <summary>Asks it to end, as Ctrl+C does, and waits until it and all of its processes have ended.</summary>
    public async Task StopAsync()
    {
        if (_process is { HasExited: false } process)
        {
            int[] parts = [.. Parts.Running(process.Id).Values];
            _ = SendSignal(process.Id, Terminate);
            await process.Exited.WaitAsync(s_patience);
            if (parts.FirstOrDefault(static id => Directory.Exists($"/proc/{id}")) is var left and not 0)
            {
                throw new SampleException($"process {left} of the shop was left behind");
            }
        }
    }

    private static async Task EndedAsync(SampleProcess process) =>
        throw new SampleException($"'ambrosia run' ended with code {await process.Exited} before all was ready");

    // "orders   | 12:34:56.789 order 1: Paid": what apps say is shown. What their coordinators say is for another day.
    private void Take(string line)
    {
        _lines.Add(line);
        if (line.Split('|', 2, StringSplitOptions.TrimEntries) is [var part, var text] && Parts.All.Contains(part) && !part.Contains(' '))
        {
            run.Say($"  {part}: {SampleRun.WithoutTime(text)}");
        }
    }

    private static void SetDefault(string name, string value)
    {
        if (string.IsNullOrEmpty(Environment.GetEnvironmentVariable(name)))
        {
            Environment.SetEnvironmentVariable(name, value);
        }
    }

    private static (string Web, string Orders, string Warehouse) FreePorts()
    {
        TcpListener[] all = [new(IPAddress.Loopback, 0), new(IPAddress.Loopback, 0), new(IPAddress.Loopback, 0)];
        string[] ports = [.. all.Select(static listener =>
        {
            listener.Start();
            return $"{((IPEndPoint)listener.LocalEndpoint).Port}";
        })];
        Array.ForEach(all, static listener => listener.Dispose());
        return (ports[0], ports[1], ports[2]);
    }

    [DllImport("libc", EntryPoint = "kill")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int SendSignal(int process, int signal);
}
