using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Operations;
using Ambrosia.CoordinatorHost.Admin;

namespace Ambrosia.Cli.Tests;

public sealed class StatusTests : IDisposable
{
    private static readonly DateTimeOffset s_three = new(2026, 1, 1, 2, 0, 0, TimeSpan.Zero); // In Vienna.
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task An_empty_catalog_is_said_in_a_sentence()
    {
        (int code, string output, _) = await _command.RunAsync("status");
        Assert.Equal(0, code);
        Assert.StartsWith("No instances in file:", output, StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_instances_are_listed_plainly_when_piped()
    {
        await _command.MakeInstanceAsync("bank");
        await _command.MakeInstanceAsync("auditor");
        (_, string output, _) = await _command.RunAsync("status");
        string[] lines = output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal(3, lines.Length);
        Assert.Matches("^auditor +stopped +1 ", lines[1]);
        Assert.Matches("^bank +stopped +1 ", lines[2]);
        Assert.DoesNotContain('\u001b', output);
    }

    [Fact]
    public async Task One_instance_is_shown_in_detail_as_json()
    {
        await _command.MakeInstanceAsync("bank");
        JsonElement facts = (await _command.JsonAsync("status bank")).GetProperty("facts");
        Assert.Equal("stopped", facts.GetProperty("state").GetString());
        Assert.Equal(1, facts.GetProperty("epoch").GetInt32());
        Assert.Equal(32, facts.GetProperty("instanceId").GetString()!.Length);
    }

    [Fact]
    public async Task A_held_lock_shows_as_running_with_its_process()
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable held = await _command.LockAsync("bank");
        JsonElement facts = (await _command.JsonAsync("status bank")).GetProperty("facts");
        Assert.Equal("running", facts.GetProperty("state").GetString());
        Assert.Equal(Environment.ProcessId, facts.GetProperty("processId").GetInt32());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Of_one_whose_coordinator_was_not_reached_that_is_said(bool runs)
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable? held = runs ? await _command.LockAsync("bank") : null;
        (_, string output, _) = await _command.RunAsync("status bank");
        Assert.Matches(runs ? "(?m)^coordinator +does not answer at unix:/.*: this is what the store says"
            : "(?m)^coordinator +none runs: this is what the store says", output);
    }

    [Theory] // Port 1 answers nobody, whether this machine has IPv6 or not.
    [InlineData("status bank", 0, "does not answer at tcp:[::1]:1")]
    [InlineData("checkpoint bank", 69, "No coordinator answers at tcp:[::1]:1.")]
    [InlineData("top --every 0.05", 0, "no answer")]
    [InlineData("doctor", 0, "running as process")]
    public async Task One_at_an_address_of_IPv6_is_asked_there(string line, int expected, string said)
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable held = await _command.LockAsync("bank");
        (int code, string output, string error) = await _command.RunAsync($"{line} --admin [::1]:1");
        Assert.Equal(expected, code);
        Assert.Contains(said, output + error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status bank", 0, "does not answer at tcp:127.0.0.1:")]
    [InlineData("top --every 0.05", 0, "no answer")]
    [InlineData("doctor", 0, "running as process")]
    [InlineData("query bank Balance", 69, "is no coordinator: ")]
    [InlineData("deadletters list bank", 69, "is no coordinator: ")]
    public async Task Another_program_at_the_address_that_was_named_is_no_coordinator(string line, int expected, string said)
    {
        await _command.MakeInstanceAsync("bank");
        await using IAsyncDisposable held = await _command.LockAsync("bank");
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        _ = AnswerAsync(listener); // Until the listener ends.
        int port = ((IPEndPoint)listener.LocalEndpoint).Port;
        (int code, string output, string error) = await _command.RunAsync($"{line} --admin 127.0.0.1:{port}");
        Assert.Equal(expected, code);
        Assert.Contains(said, output + error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Inputs_schedules_and_sagas_that_compensate_are_shown_with_what_comes_next()
    {
        var status = new CoordinatorStatus
        {
            Instance = "bank",
            Role = "primary",
            Inputs = [new InputStatus { Peer = "(outside)", Total = 2 }, new InputStatus { Peer = "shop", Total = 1 }],
            App = new AppStatus
            {
                Schedules =
                [
                    new ScheduleStatus
                    {
                        Name = "nightly", Expression = "0 3 * * *", TimeZone = "Europe/Vienna", Missed = "all", Next = s_three.AddDays(1),
                        Last = s_three, Runs = 1, LeftOut = 2,
                    },
                    new ScheduleStatus { Name = "far", Expression = "0 0 * * *", TimeZone = "Europe/Viena", Trouble = "no such zone" },
                ],
                Compensations =
                [
                    new CompensationStatus
                    {
                        Saga = "order 7", Step = "refund", Left = 2, Attempts = 3, NextAttempt = s_three, LastError = "no such charge",
                    },
                ],
            },
        };
        await _command.MakeInstanceAsync("bank");
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        _ = AnswerAsync(listener, JsonSerializer.Serialize(status, StatusJson.Default.CoordinatorStatus)); // Until the listener ends.
        string admin = $"status bank --admin 127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}";
        (int code, string output, _) = await _command.RunAsync(admin);
        Assert.Equal(0, code);
        Assert.Matches("(?m)^from \\(outside\\) +2 messages\nfrom shop +not connected, 1 message$", output);
        Assert.Matches(
            "(?m)^schedule nightly +0 3 \\* \\* \\* Europe/Vienna: next 2026-01-02 02:00:00Z, last 2026-01-01 02:00:00Z, 1 run, 2 missed$",
            output);
        Assert.Matches("(?m)^schedule far +0 0 \\* \\* \\* Europe/Viena: no such zone, 0 runs$", output);
        Assert.Matches("(?m)^saga order 7 +compensates, 2 left, now refund, next attempt 2026-01-01 02:00:00Z; 3 attempts failed: no "
            + "such charge$", output);
        JsonElement app = (await _command.JsonAsync(admin)).GetProperty("live").GetProperty("app");
        Assert.Equal("2026-01-02T02:00:00+00:00", app.GetProperty("schedules")[0].GetProperty("next").GetString());
        Assert.Equal(3, app.GetProperty("compensations")[0].GetProperty("attempts").GetInt32());
    }

    [Fact]
    public async Task What_it_waits_for_is_a_short_section_and_all_of_it_in_json()
    {
        var waiting = new WaitingStatus
        {
            Told = true,
            Calls = 7,
            OldestCalls =
            [
                new WaitingCallStatus { Number = 1, AwaitedBy = "Visit" },
                new WaitingCallStatus { Number = 2, Destination = "shop", MethodId = 4711, Since = s_three, Message = "17:3" },
                .. Enumerable.Range(3, 5).Select(static number =>
                    new WaitingCallStatus
                        { Number = number, Destination = "shop", MethodId = 5, Method = "Buy", AwaitedBy = "Visit > Ask" }),
            ],
            Awakeables = 1,
            OldestAwakeables =
                [new WaitingAwakeableStatus { Number = 9, Type = "System.String", Deadline = s_three, Since = s_three, Message = "18:0" }],
            Timers = 1,
            OldestTimers = [new WaitingTimerStatus { Id = 4, Due = s_three, AwaitedBy = "Rest" }],
        };
        (string output, JsonElement json) = await ShowAsync(waiting);
        Assert.Matches("(?m)^waits for +7 calls, 1 awakeable, 1 timer$", output);
        Assert.Matches(
            "(?m)^call 1 +made before the checkpoint that the app began from, so its destination is not known, awaited by Visit$", output);
        Assert.Matches("(?m)^call 2 +to shop, method 4711, since 2026-01-01 02:00:00Z \\(17:3\\)$", output);
        Assert.Matches("(?m)^call 5 +to shop, Buy, awaited by Visit > Ask\n +and 2 later calls$", output);
        Assert.Matches("(?m)^awakeable 9 +System.String, until 2026-01-01 02:00:00Z, since 2026-01-01 02:00:00Z \\(18:0\\)$", output);
        Assert.Matches("(?m)^timer 4 +due 2026-01-01 02:00:00Z, awaited by Rest$", output);
        Assert.Equal(7, json.GetProperty("waiting").GetProperty("oldestCalls").GetArrayLength());
        Assert.Equal("Buy", json.GetProperty("waiting").GetProperty("oldestCalls")[6].GetProperty("method").GetString());
    }

    [Theory]
    [InlineData(true, "", "nothing")]
    [InlineData(false, "IC-1043 the app did not answer within 2 s", "IC-1043 the app did not answer within 2 s")]
    [InlineData(false, "", "this coordinator does not say")]
    public async Task What_it_does_not_wait_for_or_say_is_one_row(bool told, string reason, string said) =>
        Assert.Matches($"(?m)^waits for +{said}$", (await ShowAsync(new WaitingStatus { Told = told, Reason = reason })).Output);

    [Fact] // One of an earlier release answers 404.
    public async Task A_coordinator_that_does_not_know_the_question_is_told() =>
        Assert.Matches("(?m)^waits for +this coordinator does not say$", (await ShowAsync(null)).Output);

    private async Task<(string Output, JsonElement Json)> ShowAsync(WaitingStatus? waiting)
    {
        await _command.MakeInstanceAsync("bank");
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        string status = JsonSerializer.Serialize(
            new CoordinatorStatus { Instance = "bank", Role = "primary" }, StatusJson.Default.CoordinatorStatus);
        _ = AnswerAsync(listener, status, waiting is null ? null : JsonSerializer.Serialize(waiting, StatusJson.Default.WaitingStatus));
        string admin = $"status bank --admin 127.0.0.1:{((IPEndPoint)listener.LocalEndpoint).Port}";
        (int code, string output, _) = await _command.RunAsync(admin);
        Assert.Equal(0, code);
        return (output, await _command.JsonAsync(admin));
    }

    private static Task AnswerAsync(TcpListener listener, string content = "<html></html>") => AnswerAsync(listener, content, content);

    private static async Task AnswerAsync(TcpListener listener, string content, string? waiting)
    {
        try
        {
            while (true)
            {
                using Socket caller = await listener.AcceptSocketAsync();
                byte[] request = new byte[64 * 1024];
                int size = await caller.ReceiveAsync(request);
                bool isOfWaiting = Encoding.ASCII.GetString(request, 0, size).StartsWith("GET /waiting ", StringComparison.Ordinal);
                string body = isOfWaiting ? waiting ?? "" : content;
                string head = isOfWaiting && waiting is null ? "404 Not Found" : "200 OK";
                await caller.SendAsync(Encoding.UTF8.GetBytes(
                    $"HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {Encoding.UTF8.GetByteCount(body)}\r\n\r\n{body}"));
                caller.Shutdown(SocketShutdown.Send);
                while (await caller.ReceiveAsync(new byte[1024]) > 0)
                {
                    // So that what is unread when it closes does not break the answer off.
                }
            }
        }
        catch (Exception error) when (error is SocketException or ObjectDisposedException)
        {
            // The test has ended.
        }
    }

    [Fact]
    public async Task An_address_whose_host_is_no_name_is_a_usage_error()
    {
        await _command.MakeInstanceAsync("bank");
        (int code, _, string error) = await _command.RunAsync("status bank --admin a..b:80");
        Assert.Equal(64, code);
        Assert.Contains("its host is no name", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task One_whose_log_is_damaged_or_cannot_be_looked_at_hides_no_other()
    {
        await _command.MakeInstanceAsync("bank");
        await _command.MakeInstanceAsync("auditor");
        await _command.MakeInstanceAsync("far");
        string segment = Directory.EnumerateFiles(Path.Combine(_command.FolderOf("bank"), "log")).Single();
        byte[] bytes = await File.ReadAllBytesAsync(segment);
        bytes[20] ^= 1;
        await File.WriteAllBytesAsync(segment, bytes);
        Directory.Delete(_command.FolderOf("far"), recursive: true);
        File.CreateSymbolicLink(_command.FolderOf("far"), _command.FolderOf("far")); // Leads nowhere, for root as well.
        (int code, string output, string error) = await _command.RunAsync("status");
        File.Delete(_command.FolderOf("far"));
        Assert.Equal(65, code);
        Assert.Matches("(?m)^auditor +stopped +1 ", output);
        Assert.Matches("(?m)^bank +damaged +1 ", output);
        Assert.Matches("(?m)^far +unreadable +1 ", output);
        Assert.Matches("(?m)^bank: IC-2001 ", error);
        Assert.Matches("(?m)^far: .*ELOOP", error);
    }

    [Fact]
    public async Task An_unknown_instance_is_not_found()
    {
        (int code, _, string error) = await _command.RunAsync("status nobody");
        Assert.Equal(66, code);
        Assert.Contains("There is no instance 'nobody'", error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_person_at_a_terminal_gets_a_table()
    {
        await _command.MakeInstanceAsync("bank");
        (_, string output, _) = await _command.RunAsync("status", typed: "");
        Assert.Contains("│ bank", output, StringComparison.Ordinal);
    }
}
