using System.Runtime.InteropServices;

namespace Ambrosia.Samples;

/// <summary>
/// One run of a sample: a folder of its own for the data, the processes that it started, and an orderly end, whether it succeeds, fails or
/// is interrupted by Ctrl+C. Nothing that it started outlives it.
/// </summary>
internal sealed class SampleRun : IAsyncDisposable
{
    private const int Interrupted = 130;
    private const int TimeLength = 13; // "12:34:56.789 "
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);
    private readonly object _gate = new();
    private readonly List<SampleProcess> _processes = [];
    private readonly CancellationTokenSource _stop = new();
    private bool _ending;

    private SampleRun(string name)
    {
        Folder = Directory.CreateTempSubdirectory($"ambrosia-{name}-").FullName;
        Say($"Data of this run: {Folder}");
    }

    /// <summary>Where everything of this run lies; removed if the run succeeds.</summary>
    public string Folder { get; }

    /// <summary>Cancelled by Ctrl+C and SIGTERM.</summary>
    public CancellationToken Stopping => _stop.Token;

    /// <summary>Runs a sample and cleans up behind it.</summary>
    /// <param name="name">Part of the folder's name.</param>
    /// <param name="body">Returns true if everything was as it should be.</param>
    /// <returns>The exit code: 0, 1, or 130 after Ctrl+C.</returns>
    public static async Task<int> RunAsync(string name, Func<SampleRun, Task<bool>> body)
    {
        var run = new SampleRun(name);
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, run.OnSignal);
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, run.OnSignal);
        bool good = false;
        bool interrupted = false;
        await using (run)
        {
            try
            {
                good = await body(run);
            }
            catch (OperationCanceledException) when (run.Stopping.IsCancellationRequested)
            {
                interrupted = true;
                run.Say("Interrupted.");
            }
            catch (Exception failure) when (failure is SampleException or TimeoutException)
            {
                run.Say(Terminal.Bad(failure.Message));
            }
        }

        await run.RemoveFolderAsync(good || interrupted);
        return good ? 0 : interrupted ? Interrupted : 1;
    }

    /// <summary>Starts this program again in another role. Its data goes into <see cref="Folder"/>.</summary>
    public SampleProcess StartSelf(string[] arguments, Action<string> onLine) =>
        Add(() => SampleProcess.StartSelf([.. arguments, "--store", Store, "--catalog", Catalog], onLine));

    /// <summary>Starts any program.</summary>
    public SampleProcess Start(string program, IEnumerable<string> arguments, Action<string> onLine) =>
        Add(() => SampleProcess.Start(program, arguments, onLine));

    /// <summary>The logs and checkpoints of this run, as an option of immortals and coordinators.</summary>
    public string Store => "file:" + Path.Combine(Folder, "instances");

    /// <summary>Where the immortals of this run find each other.</summary>
    public string Catalog => "file:" + Path.Combine(Folder, "catalog");

    /// <summary>A log line of a child without its time, which would only clutter a sample's output.</summary>
    public static string WithoutTime(string line) =>
        line.Length > TimeLength && line[2] == ':' && line[5] == ':' && line[TimeLength - 1] == ' ' ? line[TimeLength..] : line;

    /// <summary>Prints one line.</summary>
    public void Say(string line)
    {
        lock (_gate)
        {
            Console.Out.WriteLine(line);
        }
    }

    /// <summary>Kills what is still running.</summary>
    public async ValueTask DisposeAsync()
    {
        SampleProcess[] processes;
        lock (_gate)
        {
            _ending = true;
            processes = [.. _processes];
        }

        foreach (SampleProcess process in processes)
        {
            process.Kill();
        }

        await Task.WhenAll(processes.Select(static process => process.Exited)).WaitAsync(s_patience);
        foreach (SampleProcess process in processes)
        {
            process.Dispose();
        }

        _stop.Dispose();
    }

    private SampleProcess Add(Func<SampleProcess> start)
    {
        lock (_gate)
        {
            // Whatever is started while the run ends would outlive it.
            if (_ending || _stop.IsCancellationRequested)
            {
                throw new OperationCanceledException(_stop.Token);
            }

            SampleProcess process = start();
            _processes.Add(process);
            return process;
        }
    }

    private void OnSignal(PosixSignalContext signal)
    {
        signal.Cancel = true;
        _stop.Cancel();
    }

    private async Task RemoveFolderAsync(bool remove)
    {
        if (!remove)
        {
            Say($"Something went wrong; logs and checkpoints stay in {Folder}");
            return;
        }

        // Coordinators that the apps had started end within a second of them, and may hold a file until then.
        for (int attempt = 1; Directory.Exists(Folder); attempt++)
        {
            try
            {
                Directory.Delete(Folder, recursive: true);
            }
            catch (IOException) when (attempt < 50)
            {
                await Task.Delay(100);
            }
        }
    }
}
