using System.Net;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Client;
using Ambrosia.EndToEnd.Tests.Driving;
using Ambrosia.Tests.Common;
using EndToEnd;
using Xunit.Abstractions;

namespace Ambrosia.EndToEnd.Tests;

/// <summary>An ordinary process, this one, calls an immortal by its generated client, encrypted or not, while coordinator and app are
/// killed.</summary>
public sealed class ClientTests(ITestOutputHelper output)
{
    private const string Name = "node";
    private const string Secret = "a token that only the test knows";
    private const string Narrow = "a token for one method";
    private const int Kills = 24;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(120);
    private readonly OutsideNode _node = new(Name);
    private (string Certificate, string Key)? _certificate;

    [Fact]
    public async Task Each_call_runs_once_and_has_one_answer_however_often_the_coordinator_is_killed()
    {
        await using var sandbox = new Sandbox(output);
        await WriteTokensAsync(sandbox);
        using var authority = new Authority(sandbox.Folder, "ca");
        _certificate = authority.Sign("node", []);
        Child coordinator = StartCoordinator(sandbox);
        Child app = _node.StartApp(sandbox);
        using AmbrosiaClient client = Connect(authority: authority.File);
        NodeClient node = client.Get<NodeClient>(Name);
        using var done = new CancellationTokenSource();
        int calls = 0;
        Task[] callers = [.. Enumerable.Range(0, 8).Select(caller => Task.Run(async () =>
        {
            for (int i = 0; !done.IsCancellationRequested; i++)
            {
                string id = $"r{caller}-{i}";
                if (i % 2 == 0)
                {
                    Assert.Equal(0, await node.SubmitAsync(id, WorkKind.Note, "", 0));
                }
                else
                {
                    Assert.Equal(2 * i, await node.LaterAsync(id, "later", i));
                }

                Interlocked.Increment(ref calls);
            }
        }))];
        for (int kills = 0; kills < Kills; kills++)
        {
            int before = Volatile.Read(ref calls);
            await Wait.UntilAsync(
                "calls are answered", () =>
                    Volatile.Read(ref calls) > before + 20 || Array.Exists(callers, static each => each.IsFaulted), s_patience);
            await Task.Delay(Random.Shared.Next(40));
            Assert.DoesNotContain(callers, static each => each.IsFaulted);
            await coordinator.KillAsync();
            authority.Sign("node", []); // Renewed meanwhile.
            coordinator = StartCoordinator(sandbox);
            if (kills % 6 == 5)
            {
                await app.KillAsync();
                app = _node.StartApp(sandbox);
            }
        }

        await done.CancelAsync();
        await Task.WhenAll(callers).WaitAsync(s_patience);

        // A request that came twice is a violation, and so is one that did not end.
        NodeReport report = await node.ReportAsync();
        int[] times = [.. report.Effects.Where(static each => each.Key.EndsWith(" later", StringComparison.Ordinal))
            .Select(static each => each.Value)];
        Assert.All(times, static each => Assert.Equal(1, each));
        Assert.Equal(calls, report.Begun + times.Length);
        Assert.Equal(report.Begun, report.Ended);
        Assert.Empty(report.Violations);
        output.WriteLine($"{calls} calls, {Kills} kills of the coordinator, {Kills / 6} of the app");
        await app.KillAsync();
        await coordinator.KillAsync();
        await sandbox.PassedAsync();
    }

    [Fact]
    public async Task A_key_of_ones_own_lives_longer_than_the_process_and_what_cannot_be_is_told_at_once()
    {
        await using var sandbox = new Sandbox(output);
        await WriteTokensAsync(sandbox);
        Child coordinator = StartCoordinator(sandbox);
        Child app = _node.StartApp(sandbox);
        var key = new CallKey("order-42", DateTimeOffset.UtcNow);
        long answer;
        using (AmbrosiaClient first = Connect())
        {
            answer = await first.Get<NodeClient>(Name).WithKey(key).SubmitAsync("own", WorkKind.Self, "", 3);
        }

        await coordinator.KillAsync();
        coordinator = StartCoordinator(sandbox);
        using AmbrosiaClient second = Connect();
        NodeClient node = second.Get<NodeClient>(Name);
        Assert.Equal(answer, await node.WithKey(key).SubmitAsync("own", WorkKind.Self, "", 3));
        CallRefusedException reused =
            await Assert.ThrowsAsync<CallRefusedException>(() => node.WithKey(key).SubmitAsync("other", WorkKind.Note, "", 3));
        Assert.Equal(("IC-7003", true), (reused.Code, reused.IsFinal));
        await node.SubmitSend("sent", WorkKind.Note, "", 1);
        await Wait.UntilAsync("what was sent is executed", async () => (await node.ReportAsync()).Ended == 2, s_patience);

        InvalidOperationException thrown =
            await Assert.ThrowsAsync<InvalidOperationException>(() => node.FailAsync("test", 1, "x", "fail"));
        Assert.Equal("no x", thrown.Message);
        Assert.Equal("System.InvalidOperationException", Assert.IsType<RemoteException>(thrown.InnerException).RemoteType);

        using AmbrosiaClient narrow = Connect(Narrow);
        Assert.Empty((await narrow.Get<NodeClient>(Name).ReportAsync()).Sent);
        CallRefusedException unknown =
            await Assert.ThrowsAsync<CallRefusedException>(() => narrow.Get<NodeClient>(Name).EchoAsync("x", 1, 1));
        Assert.Equal("IC-7010", unknown.Code);
        using AmbrosiaClient other = Connect("a wrong token");
        CallRefusedException refused = await Assert.ThrowsAsync<CallRefusedException>(() => other.Get<NodeClient>(Name).ReportAsync());
        Assert.Equal("IC-7013", refused.Code);

        await app.KillAsync();
        using AmbrosiaClient hasty = Connect(Secret, TimeSpan.FromMilliseconds(700));
        CallNotAnsweredException late =
            await Assert.ThrowsAsync<CallNotAnsweredException>(() => hasty.Get<NodeClient>(Name).SubmitAsync("late", WorkKind.Note, "", 1));
        Assert.Contains("may have run", late.Message, StringComparison.Ordinal);
        using var impatient = new CancellationTokenSource(300);
        OperationCanceledException cancelled = await Assert.ThrowsAnyAsync<OperationCanceledException>(() =>
            node.SubmitAsync("cancelled", WorkKind.Note, "", 1, impatient.Token));
        Assert.Equal(impatient.Token, cancelled.CancellationToken);
        await coordinator.KillAsync();
        await sandbox.PassedAsync();
    }

    private AmbrosiaClient Connect(string token = Secret, TimeSpan? deadline = null, string? authority = null)
    {
        var options = new AmbrosiaClientOptions { Token = token, Deadline = deadline ?? s_patience, TrustedCaFile = authority };
        string host = authority is null ? "http://127.0.0.1" : "https://localhost"; // The name that is in the certificate.
        options.Addresses.Add($"{host}:{FreePorts.One()}"); // Nobody listens there: the other one does.
        options.Addresses.Add($"{host}:{_node.Port}");
        return new AmbrosiaClient(options);
    }

    private static Task WriteTokensAsync(Sandbox sandbox) => File.WriteAllTextAsync(
        Path.Combine(sandbox.Folder, "callers"), $"tester {HashOf(Secret)}\nnarrow {HashOf(Narrow)} Report\n");

    private static string HashOf(string token) => Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(token)));

    private Child StartCoordinator(Sandbox sandbox) => _node.StartCoordinator(
        sandbox,
        [
            "--ingress-tokens", Path.Combine(sandbox.Folder, "callers"), "--ingress-methods", "all",
            .. _certificate is var (certificate, key) ? (string[])["--ingress-cert-file", certificate, "--ingress-key-file", key] : [],
        ]);
}
