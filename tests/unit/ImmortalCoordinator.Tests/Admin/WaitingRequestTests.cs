using System.Buffers;
using System.Net;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.CoordinatorHost.Admin;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Protocol;

namespace Ambrosia.ImmortalCoordinator.Tests.Admin;

/// <summary>What becomes of a request to <c>/waiting</c>.</summary>
public sealed class WaitingRequestTests
{
    private static readonly DateTimeOffset s_time = new(2026, 1, 1, 2, 0, 0, TimeSpan.Zero);
    private readonly FakeStatus _status = new();
    private AppQuery? _asked;

    [Fact]
    public async Task What_the_app_says_is_told_with_names_and_times()
    {
        var position = new MessagePosition(17, 3);
        Answer(QueryStatus.Answered, Write(new WaitingTold
        {
            CallCount = 300,
            Calls =
            [
                new WaitingCall(1, "", 0, "", default, 0, "Visit"),
                new WaitingCall(2, "shop", 4711, "", position, s_time.Ticks, "Visit > Ask"),
                new WaitingCall(3, "", 12, "Add", position, s_time.Ticks, ""),
                new WaitingCall(4, "shop", ReservedMethods.OnFirstStart, "", position, s_time.Ticks, ""),
            ],
            AwakeableCount = 2,
            Awakeables =
            [
                new WaitingAwakeable(5, "System.String", s_time.Ticks, default, 0, ""),
                new WaitingAwakeable(6, "Odd", 0, position, 5, "Sign"),
            ],
            TimerCount = 1,
            Timers = [new WaitingTimer(1, s_time.Ticks, "Rest")],
        }));
        WaitingStatus told = await AskAsync();
        Assert.Equal((true, "", 99ul, 300, 2, 1), (told.Told, told.Reason, told.Lsn, told.Calls, told.Awakeables, told.Timers));
        Assert.Equal(
            [
                new WaitingCallStatus { Number = 1, AwaitedBy = "Visit" },
                new WaitingCallStatus
                {
                    Number = 2, Destination = "shop", MethodId = 4711, Since = s_time, Message = "17:3", AwaitedBy = "Visit > Ask",
                },
                new WaitingCallStatus { Number = 3, Destination = "bank", MethodId = 12, Method = "Add", Since = s_time, Message = "17:3" },
                new WaitingCallStatus
                {
                    Number = 4, Destination = "shop", MethodId = -1, Method = "OnFirstStart", Since = s_time, Message = "17:3",
                },
            ],
            told.OldestCalls);
        Assert.Equal(
            [
                new WaitingAwakeableStatus { Number = 5, Type = "System.String", Deadline = s_time },
                new WaitingAwakeableStatus
                {
                    Number = 6, Type = "Odd", Since = new DateTimeOffset(5, TimeSpan.Zero), Message = "17:3", AwaitedBy = "Sign",
                },
            ],
            told.OldestAwakeables);
        Assert.Equal([new WaitingTimerStatus { Id = 1, Due = s_time, AwaitedBy = "Rest" }], told.OldestTimers);
        Assert.Equal((RpcForm.Call, -9, 0, 0ul), Read(_asked!));
    }

    [Theory] // The last ones are answers that no app should give.
    [InlineData(QueryStatus.Unknown, "Tests.IBank has no method with [Query]", "this app does not say")]
    [InlineData(QueryStatus.Failed, "no", "this app does not say: no")]
    [InlineData(QueryStatus.Answered, "", "this app's answer cannot be read")]
    [InlineData(QueryStatus.Answered, "\u0001\u0065", "this app's answer cannot be read")]
    public async Task An_app_that_does_not_say_is_no_failure(QueryStatus status, string body, string reason)
    {
        Answer(status, Encoding.UTF8.GetBytes(body));
        WaitingStatus told = await AskAsync();
        Assert.False(told.Told);
        Assert.StartsWith(reason, told.Reason, StringComparison.Ordinal);
        Assert.Empty(told.OldestCalls);
    }

    [Fact]
    public async Task Without_an_app_the_reason_is_told()
    {
        WaitingStatus told = await AskAsync();
        Assert.Equal((false, "No app is attached; only it can answer."), (told.Told, told.Reason));
    }

    [Fact]
    public async Task An_app_that_is_blocked_ends_the_question_and_leaves_the_status_alone()
    {
        var gaveUp = new TaskCompletionSource();
        _status.Query = async (_, cancellation) =>
        {
            await using CancellationTokenRegistration registered = cancellation.Register(gaveUp.SetResult);
            await Task.Delay(Timeout.Infinite, cancellation);
            throw new InvalidOperationException("nobody comes here");
        };
        Task<WaitingStatus> asked = AskAsync();
        Assert.Equal(HttpStatusCode.OK, (await AdminUnderTest.SendAsync(_status, HttpMethod.Get, "/status")).Code);
        Assert.False(asked.IsCompleted);
        WaitingStatus told = await asked.WaitAsync(TimeSpan.FromMinutes(1));
        Assert.False(told.Told);
        Assert.StartsWith("IC-1043 the app did not answer within 2 s", told.Reason, StringComparison.Ordinal);
        await gaveUp.Task; // Its place among the questions is free again.
    }

    [Fact]
    public async Task It_is_only_read() =>
        Assert.Equal(HttpStatusCode.MethodNotAllowed, (await AdminUnderTest.SendAsync(_status, HttpMethod.Post, "/waiting")).Code);

    private static (RpcForm, int, int, ulong) Read(AppQuery query)
    {
        RpcHeader call = RpcHeader.Read(query.Rpc);
        return (call.Form, call.MethodId, call.Body.Length, query.AtLeast);
    }

    private static byte[] Write(WaitingTold told)
    {
        var output = new ArrayBufferWriter<byte>();
        told.Write(output);
        return output.WrittenSpan.ToArray();
    }

    private void Answer(QueryStatus status, byte[] body) => _status.Query = (query, _) =>
    {
        _asked = query;
        return Task.FromResult(new AppAnswer(99, status, body));
    };

    private async Task<WaitingStatus> AskAsync()
    {
        (HttpStatusCode code, string body) = await AdminUnderTest.SendAsync(_status, HttpMethod.Get, "/waiting");
        Assert.Equal(HttpStatusCode.OK, code);
        return JsonSerializer.Deserialize(body, StatusJson.Default.WaitingStatus)!;
    }
}
