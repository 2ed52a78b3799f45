using System.Text.RegularExpressions;
using Ambrosia;
using Ambrosia.Bench.Immortals;
using Ambrosia.Bench.Processes;
using Ambrosia.Bench.Relay;
using Ambrosia.Bench.Relay.Rings;
using Ambrosia.Bench.Scenarios;
using Ambrosia.Samples;

// One program in all its roles; bench/run starts it with the name of a scenario, and it starts itself with the others.
const int UsageError = 64;
var scenarios = new Dictionary<string, Func<Plan, Task>>
{
    ["throughput"] = Throughput.RunAsync,
    ["ping"] = Ping.RunAsync,
    ["fan-in"] = Patterns.FanInAsync,
    ["fan-out"] = Patterns.FanOutAsync,
    ["bidirectional"] = Patterns.BidirectionalAsync,
    ["encrypted"] = Encrypted.RunAsync,
    ["traced"] = Traced.RunAsync,
    ["outside"] = OutsideCalls.RunAsync,
    ["outside-restate"] = OutsideBesideRestate.RunAsync,
    ["recovery"] = Recovery.RunAsync,
    ["failover"] = Recovery.FailoverAsync,
    ["checkpoint"] = Checkpoints.RunAsync,
    ["checkpoint-replica"] = ReplicaCheckpoints.RunAsync,
    ["scale"] = Scale.RunAsync,
    ["memory"] = Resources.MemoryAsync,
    ["cpu"] = Resources.ProcessorAsync,
    ["linear"] = Resources.LinearAsync,
    ["latency-curve"] = LatencyCurve.RunAsync,
    ["native"] = Native.RunAsync,
    ["shared-memory"] = SharedMemory.RunAsync,
};

if (args is ["worker" or "relay-end" or "relay-hop" or "relay-source" or "ring-relay-end" or "ring-relay-hop" or "ring-relay-source", ..])
{
    SampleChild.EndWithParent();
}

switch (args)
{
    case ["worker", .. string[] rest]:
        return await Immortal.RunAsync<Worker>(rest);
    case ["relay-end", string listen]:
        await RelayEnd.ServeAsync(listen);
        return 0;
    case ["relay-hop", string listen, string connect, string forwardLog, string backLog]:
        await RelayHop.ServeAsync(listen, connect, forwardLog, backLog);
        return 0;
    case ["relay-source", string connect]:
        await RelaySource.ServeAsync(connect);
        return 0;
    case ["ring-relay-end", string kind, string listen]:
        RingRelayEnd.Serve(Enum.Parse<AppHopKind>(kind), listen);
        return 0;
    case ["ring-relay-hop", string kind, string listen, string connect, string log]:
        RingRelayHop.Serve(Enum.Parse<AppHopKind>(kind), listen, connect, log);
        return 0;
    case ["ring-relay-source", string kind, string connect]:
        await RingRelaySource.ServeAsync(Enum.Parse<AppHopKind>(kind), connect);
        return 0;
    case [string name, string folder, "--full" or "--quick", .. string[] only]
        when only.Length < 2 && scenarios.TryGetValue(name, out Func<Plan, Task>? scenario):
        Regex? wanted = only is [string pattern] ? new Regex(pattern) : null;
        return await RunAsync(scenario, args[2] == "--quick" ? Plan.Quick(folder, wanted) : Plan.Full(folder, wanted));
    default:
        Console.Error.WriteLine(
            $"Usage: Ambrosia.Bench.Apps {string.Join('|', scenarios.Keys)} FOLDER --full|--quick [REGEX]. bench/run builds "
            + $"and starts it.");
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
