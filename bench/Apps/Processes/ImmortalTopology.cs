using System.Text.Json;
using Ambrosia.Bench.Immortals;

namespace Ambrosia.Bench.Processes;

/// <summary>The real thing: source and sink, each an immortal with a coordinator.</summary>
internal sealed class ImmortalTopology : ITopology
{
    private const int BatchBytes = 256 * 1024;
    private const int Overhead = 12; // Of a fork in bytes, about: size, type, method, kind, array and byte string headers.
    private const int Window = 12;

    private ImmortalTopology(Child[] processes) => Processes = processes;

    public IReadOnlyList<Child> Processes { get; }

    private Child Source => Processes[0];

    public static async Task<ImmortalTopology> StartAsync(string folder, bool logged)
    {
        Directory.CreateDirectory(folder);
        var topology = new ImmortalTopology([App("source", folder), Coordinator("source", folder, logged), Coordinator("sink", folder, logged), App("sink", folder)]);
        try
        {
            await topology.Source.ExpectAsync(SourceDesk.Ready);
            return topology;
        }
        catch (ChildFailedException)
        {
            await topology.DisposeAsync();
            throw;
        }
    }

    public Task<Outcome> FloodAsync(int size, double seconds) =>
        AskAsync($"flood {size} {Math.Max(1, BatchBytes / (size + Overhead))} {Window} {Numbers.Text(seconds)}");

    public Task<Outcome> CallAsync(int size, int outstanding, double seconds) => AskAsync($"call {size} {outstanding} {Numbers.Text(seconds)}");

    public async ValueTask DisposeAsync()
    {
        foreach (Child process in Processes)
        {
            await process.DisposeAsync();
        }
    }

    private static Child App(string name, string folder) => new($"app {name}", null, name, "--instance-name", name, "--binding-socket", Socket(name, folder));

    private static Child Coordinator(string name, string folder, bool logged)
    {
        string program = Path.Combine(AppContext.BaseDirectory, "coordinator", "Ambrosia.ImmortalCoordinator" + (OperatingSystem.IsWindows() ? ".exe" : ""));
        string[] arguments =
        [
            "--instance-name", name, "--store", "file:" + Path.Combine(folder, "instances"), "--catalog", "file:" + Path.Combine(folder, "catalog"),
            "--binding-socket", Socket(name, folder), "--owner-pipe",
        ];
        return new Child($"coordinator {name}", program, logged ? arguments : [.. arguments, "--no-log"]);
    }

    private static string Socket(string name, string folder) => Path.Combine(folder, name + ".sock");

    private async Task<Outcome> AskAsync(string command)
    {
        string answer = await Source.AskAsync(command, SourceDesk.Answer);
        return JsonSerializer.Deserialize<Outcome>(answer[SourceDesk.Answer.Length..])!;
    }
}
