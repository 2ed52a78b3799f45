using Ambrosia;
using Ambrosia.Bench.Immortals;
using Ambrosia.Bench.Processes;
using Ambrosia.Bench.Relay;
using Ambrosia.Bench.Scenarios;
using Ambrosia.Samples;

// One program in all its roles; bench/run starts it with the name of a scenario, and it starts itself with the others.
const int UsageError = 64;
if (args is ["source" or "sink" or "relay-end" or "relay-hop" or "relay-source", ..])
{
    SampleChild.EndWithParent();
}

switch (args)
{
    case ["source", .. string[] rest]:
        return await Immortal.RunAsync<Source>(rest);
    case ["sink", .. string[] rest]:
        return await Immortal.RunAsync<Sink>(rest);
    case ["relay-end", string listen]:
        await RelayEnd.ServeAsync(listen);
        return 0;
    case ["relay-hop", string listen, string connect, string forwardLog, string backLog]:
        await RelayHop.ServeAsync(listen, connect, forwardLog, backLog);
        return 0;
    case ["relay-source", string connect]:
        await RelaySource.ServeAsync(connect);
        return 0;
    case ["throughput" or "ping", string folder, .. string[] rest] when rest is [] or ["--quick"]:
        return await RunAsync(args[0] == "ping" ? Ping.RunAsync : Throughput.RunAsync, rest is [] ? Plan.Full(folder) : Plan.Quick(folder));
    default:
        Console.Error.WriteLine("Usage: Ambrosia.Bench.Apps throughput|ping FOLDER [--quick]. bench/run builds and starts it.");
        return UsageError;
}

static async Task<int> RunAsync(Func<Plan, Task> scenario, Plan plan)
{
    try
    {
        await scenario(plan);
        return 0;
    }
    catch (ChildFailedException failure)
    {
        Console.Error.WriteLine(failure.Message);
        return 1;
    }
}
