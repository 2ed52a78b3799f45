using System.Net;
using Ambrosia.Coordinator.Errors;
using Ambrosia.ImmortalCoordinator.Tests.Poison;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Stores;
using Ambrosia.Primitives.Errors;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>What requests to the admin address of a real coordinator do to its process.</summary>
public sealed class AdminProcessTests : IDisposable
{
    private const string Waiting = "waits for its app";

    private readonly TemporaryFolder _home = new();

    public void Dispose() => _home.Dispose();

    [Fact]
    public async Task No_request_ends_a_coordinator_that_waits_for_the_log_of_another()
    {
        using CoordinatorUnderTest first = Start("first");
        await first.SaysAsync(Waiting);
        using CoordinatorUnderTest second = Start("second", "--admin", "unix:" + _home["admin.sock"]);
        await second.SaysAsync("answers health");
        using (HttpClient client = UnixHttp.Client(_home["admin.sock"]))
        {
            foreach ((string method, string path) in AdminRoutes.Requests())
            {
                AdminAnswer answer = await client.AskAsync(method, path).OrFail();
                Assert.True(answer.Code != HttpStatusCode.InternalServerError, $"{answer}: {second.Said}");
            }

            foreach (string path in (string[])["/state", "/query/X", "/deadletters"])
            {
                AdminAnswer answer = await client.AskAsync("GET", path).OrFail();
                Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.Code);
                Assert.StartsWith("IC-1044 ", answer.Body, StringComparison.Ordinal);
            }
        }

        first.Process.Kill();
        await second.SaysAsync(Waiting); // It is alive, and goes on where it was.
    }

    [Fact] // 40 calls a person, 70 would be started again and again.
    public async Task A_coordinator_whose_log_lacks_a_segment_says_so_however_often_it_is_asked_meanwhile()
    {
        await WriteLogAsync();
        File.Delete(Directory.GetFiles(_home["instances"], "*.seg", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
            .ElementAt(1));
        for (int i = 0; i < 8; i++)
        {
            using var ended = new CancellationTokenSource();
            Task rain = RainAsync(ended.Token);
            using (CoordinatorUnderTest damaged = Start("damaged", "--admin", "unix:" + _home["admin.sock"]))
            {
                Assert.Equal(ExitCode.StoreDamaged, await damaged.EndAsync());
            }

            await ended.CancelAsync();
            await rain;
        }
    }

    // Records in several segments after a checkpoint.
    private async Task WriteLogAsync()
    {
        var disk = new LogStoreEnvironment { Files = new PosixFileSystem() };
        await using CoreUnderTest core =
            await CoreUnderTest.StartAsync(log: disk, change: options => options.Store = "file:" + _home["instances"]);
        await using ScriptedApp app = await core.ConnectAppAsync();
        await app.BecomePrimaryAsync();
        for (int i = 0; i < 8; i++)
        {
            await app.SendLargeImpulseAsync(300_000);
            await app.HearAsync(BindingMessageType.RecordInfo);
        }
    }

    private async Task RainAsync(CancellationToken ended)
    {
        using HttpClient client = UnixHttp.Client(_home["admin.sock"]);
        while (!ended.IsCancellationRequested)
        {
            try
            {
                await Task.WhenAll(client.AskAsync("GET", "/state"), client.AskAsync("GET", "/query/X"),
                    client.AskAsync("GET", "/deadletters"));
            }
            catch (HttpRequestException)
            {
                await Task.Yield(); // It does not listen yet, or no longer.
            }
        }
    }

    private CoordinatorUnderTest Start(string socket, params string[] more) =>
        new(_home, ["--instance-name", "bank", "--binding-socket", _home[socket], .. more]);
}
