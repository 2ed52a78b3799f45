using System.Globalization;
using System.Net;
using System.Text.Json;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Replicas.Tests.Running;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.Replicas.Tests;

/// <summary>Questions that secondaries answer as well, at a record that they name.</summary>
public sealed class QueryTests(ITestOutputHelper output)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task Every_replica_answers_and_who_names_the_record_reads_what_was_written_before_it()
    {
        await using var sandbox = new Sandbox(output);
        int[] ports = FreePorts.Some(3);
        var bank = new ReplicaSet([.. ports.Select((port, number) => ReplicaSet.MakeOne(
            sandbox, "bank", NodeSettings.Small with
                { CoordinatorArguments = [.. NodeSettings.Small.CoordinatorArguments, "--ingress", $"127.0.0.1:{port}"] }, number))]);
        bank.All.ToList().ForEach(static replica => replica.Start());
        using var outside = new HttpClient();
        NodeUnderTest primary = await bank.CompleteAsync();
        for (int i = 1; i <= 20; i++)
        {
            await primary.AskAsync($"submit r{i} Self bank 0");
            JsonElement written = await QueryAsync(sandbox, primary, []);
            Assert.Equal((i, "primary"), (BegunOf(written), written.GetProperty("role").GetString()));
            ulong lsn = written.GetProperty("lsn").GetUInt64();
            foreach (NodeUnderTest replica in bank.All)
            {
                JsonElement read = await QueryAsync(sandbox, replica, ["--at-least", $"{lsn}"]);
                Assert.True(read.GetProperty("lsn").GetUInt64() >= lsn);
                Assert.Equal(i, BegunOf(read));
            }

            await RequireFromOutsideAsync(outside, ports, lsn, i);
        }

        ulong last = (await QueryAsync(sandbox, primary, [])).GetProperty("lsn").GetUInt64();
        await primary.KillAsync(Side.Coordinator);
        NodeUnderTest next = await new ReplicaSet([.. bank.All.Where(replica => replica != primary)]).PrimaryAsync();
        Assert.Equal(20, BegunOf(await QueryAsync(sandbox, next, ["--at-least", $"{last}"])));
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_record_that_never_comes_and_a_method_that_is_no_query_are_said_with_their_codes()
    {
        await using var sandbox = new Sandbox(output);
        NodeUnderTest node = new(sandbox, "alone", Layout.Sidecar, NodeSettings.Small);
        node.Start();
        await node.AskAsync("submit one Self alone 0");
        Assert.Contains("IC-1043", await SayAsync(sandbox, node, "Report", ["--at-least", "1000000", "--wait", "50ms"], 70),
            StringComparison.Ordinal);
        string refused = await SayAsync(sandbox, node, "Submit", [], 70);
        Assert.Contains("IC-1041", refused, StringComparison.Ordinal);
        Assert.Contains("the queries of EndToEnd.INode are Report", refused, StringComparison.Ordinal);
        await sandbox.PassedAsync();
    }

    // From outside only the primary is asked: what its methods take an app says when it acts.
    private static async Task RequireFromOutsideAsync(HttpClient outside, int[] ports, ulong lsn, int begun)
    {
        int answers = 0;
        foreach (int port in ports)
        {
            using HttpResponseMessage answer =
                await outside.GetAsync(new Uri($"http://127.0.0.1:{port}/v1/immortals/bank/Report?at-least={lsn}"));
            string text = await answer.Content.ReadAsStringAsync();
            if (answer.StatusCode == HttpStatusCode.ServiceUnavailable)
            {
                Assert.Contains("IC-7007", text, StringComparison.Ordinal);
                continue;
            }

            Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
            using JsonDocument read = JsonDocument.Parse(text);
            Assert.Equal(begun, read.RootElement.GetProperty("Begun").GetInt32());
            Assert.True(ulong.Parse(answer.Headers.GetValues("Ambrosia-Record").Single(), CultureInfo.InvariantCulture) >= lsn);
            answers++;
        }

        Assert.Equal(1, answers);
    }

    private static int BegunOf(JsonElement answer) => answer.GetProperty("result").GetProperty("Begun").GetInt32();

    private static async Task<JsonElement> QueryAsync(Sandbox sandbox, NodeUnderTest node, string[] more) =>
        JsonDocument.Parse(await SayAsync(sandbox, node, "Report", ["--json", .. more], 0)).RootElement;

    private static async Task<string> SayAsync(Sandbox sandbox, NodeUnderTest node, string method, string[] more, int code)
    {
        Child command = Child.Start(
            sandbox, "query", Executables.Command, ["query", node.Name, method, "--admin", "unix:" + node.AdminPath, "--store",
                sandbox.Store, "--catalog", sandbox.Catalog, .. more]);
        await command.Exited.WaitAsync(s_patience);
        Assert.True(command.ExitCode == code, command.Output);
        return command.Output;
    }
}
