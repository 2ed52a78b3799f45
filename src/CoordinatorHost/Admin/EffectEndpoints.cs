using System.Buffers;
using System.Globalization;
using System.Text;
using Ambrosia.Coordinator.Operations;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Protocol;
using Microsoft.AspNetCore.Http;
using static Ambrosia.CoordinatorHost.Admin.WebAnswer;

namespace Ambrosia.CoordinatorHost.Admin;

/// <summary>
/// <c>POST /effects/17:3:0/run</c> and <c>POST /effects/17:3:0/fail?reason=...</c>: what a person decides about an effect that ended its
/// process too often (docs/internals/effect-rules.md E20). The app logs it.
/// </summary>
internal sealed class EffectEndpoints(ICoordinatorStatus status, TimeProvider time)
{
    /// <summary>Where the requests begin.</summary>
    public const string Root = "/effects/";

    private const int LongestReason = 500;
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(10);

    public async Task HandleAsync(HttpContext context)
    {
        string[] path = context.Request.Path.Value![Root.Length..].Split('/');
        byte[]? key = path is [_, "run" or "fail"] ? KeyOf(path[0]) : null;
        if (key is null)
        {
            await AnswerAsync(context, StatusCodes.Status404NotFound, "POST /effects/17:3:0/run or fail\n");
            return;
        }

        if (!HttpMethods.IsPost(context.Request.Method))
        {
            await WrongMethodAsync(context, "POST");
            return;
        }

        bool run = path[1] == "run";
        string given = context.Request.Query["reason"].ToString();
        string reason = given.Length > 0 ? given : $"Effect {path[0]} was given up by hand.";
        if (reason.Length > LongestReason || reason.Any(static sign => char.IsControl(sign) || char.IsSurrogate(sign)))
        {
            await AnswerAsync(context, StatusCodes.Status400BadRequest, $"reason: plain text of at most {LongestReason} characters\n");
            return;
        }

        using var deadline = new CancellationTokenSource(s_patience, time);
        using var either = CancellationTokenSource.CreateLinkedTokenSource(deadline.Token, context.RequestAborted);
        try
        {
            AppAnswer answer = await status.QueryAsync(Decision(run, key, reason), either.Token);
            string said = answer.Body.Length > 0 ? Encoding.UTF8.GetString(answer.Body) : "the app does not know such decisions";
            await (answer.Status == QueryStatus.Answered
                ? AnswerAsync(context, StatusCodes.Status200OK, $"effect {path[0]} {(run ? "is performed again" : "is given up")}\n")
                : AnswerAsync(context, StatusCodes.Status409Conflict, $"nothing was changed: {said}\n"));
        }
        catch (InvalidOperationException error)
        {
            await RefuseAsync(context, "nothing was changed: ", error);
        }
        catch (OperationCanceledException) when (!context.RequestAborted.IsCancellationRequested)
        {
            await AnswerAsync(context, StatusCodes.Status504GatewayTimeout, "the app did not answer; look at the status, and ask again\n");
        }
    }

    private static AppQuery Decision(bool run, byte[] key, string reason)
    {
        var output = new ArrayBufferWriter<byte>();
        var writer = new ByteWriter(output);
        writer.WriteByte((byte)(run ? EffectNoteKind.Run : EffectNoteKind.GivenUp));
        writer.WriteBytes(key);
        if (!run)
        {
            writer.WriteString(reason);
        }

        return AppQuery.Of(ReservedMethods.EffectNote, output.WrittenSpan);
    }

    // As in 17:3:0.
    private static byte[]? KeyOf(string text)
    {
        var output = new ArrayBufferWriter<byte>();
        var writer = new ByteWriter(output);
        string[] parts = text.Split(':');
        for (int i = 0; i < parts.Length; i++)
        {
            bool isNumber = ulong.TryParse(parts[i], NumberStyles.None, CultureInfo.InvariantCulture, out ulong number);
            if (!isNumber || (i > 0 && number > int.MaxValue))
            {
                return null;
            }

            writer.WriteVarint(number);
        }

        return parts.Length == 3 ? output.WrittenSpan.ToArray() : null;
    }
}
