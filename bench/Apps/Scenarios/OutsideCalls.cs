using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Calls from outside with keys, logged and answered, beside a bare server of the same kind that does nothing but
/// answer.</summary>
internal static class OutsideCalls
{
    private const int Size = 16;
    private static readonly int[] s_outstanding = [1, 100];

    private static readonly string[] s_httpCaller = ["http-caller", OutsideTopology.EchoPath];

    // The client of Ambrosia makes more than a call: it is compared with what one would use without it.
    private static readonly (string Kind, string[] Caller, string[] Server, string[] BareCaller)[] s_ways =
    [
        ("HTTP and JSON", s_httpCaller, ["http-echo", OutsideTopology.EchoPath], s_httpCaller),
        ("gRPC by a generated client", ["grpc-caller"], ["grpc-echo"], ["grpc-caller"]),
        ("gRPC by Ambrosia.Client", ["client-caller"], ["grpc-echo"], ["grpc-caller"]),
    ];

    public static async Task RunAsync(Plan plan)
    {
        Device.Measure(plan);
        foreach ((string kind, string[] caller, string[] server, string[] bareCaller) in s_ways)
        {
            if (!Array.Exists(s_outstanding, outstanding => plan.Wants(Name(kind, outstanding))))
            {
                continue;
            }

            await using OutsideTopology immortal = await OutsideTopology.StartImmortalAsync(plan.FolderFor(caller[0]), caller);
            await using OutsideTopology bare = await OutsideTopology.StartBareAsync(server, bareCaller);
            foreach (int outstanding in s_outstanding.Where(outstanding => plan.Wants(Name(kind, outstanding))))
            {
                OutsideFigures.Print(Name(kind, outstanding), await Sample.TakeInTurnsAsync(
                    plan,
                    new Run("immortal, logged, with keys", immortal.Processes, seconds => immortal.CallAsync(Size, outstanding, seconds)),
                    new Run("bare server", bare.Processes, seconds => bare.CallAsync(Size, outstanding, seconds))));
            }
        }
    }

    private static string Name(string kind, int outstanding) => $"call from outside, {kind}, 16 B, {outstanding} outstanding";
}
