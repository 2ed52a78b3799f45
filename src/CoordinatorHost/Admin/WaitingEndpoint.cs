using System.Globalization;
using System.Text;
using System.Text.Json;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Inspection.Text;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;
using static Ambrosia.CoordinatorHost.Admin.WebAnswer;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// <c>GET /waiting</c>: what the app waits for. It is no part of <c>/status</c>, which waits for nobody: this asks the app, and one that is
/// blocked lets it end after two seconds, with a reason in place of the lists.
/// </summary>
internal sealed class WaitingEndpoint(ICoordinatorStatus status, LiveMethodNames names, TimeProvider time)
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(2);
    private static readonly AppQuery s_question = AppQuery.Of(ReservedMethods.Waiting, []);

    public async Task HandleAsync(HttpContext context) =>
        await AnswerAsync(context, StatusCodes.Status200OK, await TextAsync(context.RequestAborted), "application/json; charset=utf-8");

    /// <summary>The answer as JSON, a <see cref="WaitingStatus"/>.</summary>
    public async Task<string> TextAsync(CancellationToken cancellationToken) =>
        JsonSerializer.Serialize(await AskAsync(cancellationToken), StatusJson.Default.WaitingStatus) + "\n";

    private async Task<WaitingStatus> AskAsync(CancellationToken cancellationToken)
    {
        using var deadline = new CancellationTokenSource(s_patience, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, cancellationToken);
        try
        {
            AppAnswer answer = await status.QueryAsync(s_question, either.Token);
            return answer.Status switch
            {
                QueryStatus.Answered => Describe(WaitingTold.Read(answer.Body), answer.Lsn),
                QueryStatus.Unknown => Silent("this app does not say: its binding is an earlier one, or has no such question"),
                _ => Silent($"this app does not say: {Encoding.UTF8.GetString(answer.Body)}"),
            };
        }
        catch (ProtocolException error)
        {
            return Silent($"this app's answer cannot be read: {error.Message}");
        }
        catch (InvalidOperationException error)
        {
            return Silent(error.Message);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            return Silent(string.Create(
                CultureInfo.InvariantCulture,
                $"{ProcessErrors.QueryTooLate} the app did not answer within {s_patience.TotalSeconds:0.###} s: it replays, or executes "
                + $"a message for long"));
        }
    }

    private static WaitingStatus Silent(string reason) => new() { Reason = reason };

    private WaitingStatus Describe(WaitingTold told, ulong lsn) => new()
    {
        Told = true,
        Lsn = lsn,
        Calls = told.CallCount,
        OldestCalls = [.. told.Calls.Select(Describe)],
        Awakeables = told.AwakeableCount,
        OldestAwakeables = [.. told.Awakeables.Select(static each => new WaitingAwakeableStatus
        {
            Number = each.Number, Type = each.Type, Deadline = TimeOf(each.Deadline), Since = TimeOf(each.Time),
            Message = TextOf(each.Since), AwaitedBy = each.AwaitedBy,
        })],
        Timers = told.TimerCount,
        OldestTimers = [.. told.Timers.Select(static timer => new WaitingTimerStatus
        {
            Id = timer.Id, Due = new DateTimeOffset(timer.Deadline, TimeSpan.Zero), AwaitedBy = timer.AwaitedBy,
        })],
    };

    private WaitingCallStatus Describe(WaitingCall call)
    {
        bool isKnown = call.Since.Lsn > 0;
        return new WaitingCallStatus
        {
            Number = call.Number,
            Destination = !isKnown ? null : call.Destination.Length > 0 ? call.Destination : status.Snapshot().Instance,
            MethodId = isKnown ? call.MethodId : null,
            Method = isKnown && call.Method.Length == 0 ? NameOf(call.MethodId) : call.Method,
            Since = TimeOf(call.Time),
            Message = TextOf(call.Since),
            AwaitedBy = call.AwaitedBy,
        };
    }

    // An app knows the names of its own interface. Contracts that other instances have told lie beside their logs.
    private string NameOf(int methodId) => names.Value.TryNameOf(methodId) ?? "";

    private static DateTimeOffset? TimeOf(long ticks) => ticks == 0 ? null : new DateTimeOffset(ticks, TimeSpan.Zero);

    private static string TextOf(MessagePosition position) => position.Lsn == 0 ? "" : position.ToString();
}
