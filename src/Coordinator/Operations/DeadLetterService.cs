using System.Buffers;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Poison;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Sessions;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Operations;

/// <summary>What a person may do about messages that kill or block the app. Every refusal is a sentence.</summary>
internal sealed class DeadLetterService(
    PoisonGuard guard, TurnWatchdog watchdog, WriteAheadLog log, InputPipeline pipeline, InputTable inputs, AppServer apps, ILogger logger,
    CancellationToken stopping)
{
    private bool _busy;

    /// <summary>All letters, or one of them with its bytes.</summary>
    public DeadLettersStatus List(MessagePosition? only) => new()
    {
        Hold = guard.HoldText,
        Suspect = guard.State.Suspect is { } suspect ? Describe(suspect) : "",
        Stuck = watchdog.Text,
        StuckAt = watchdog.StuckAt?.ToString() ?? "",
        Letters = [.. guard.State.Letters.Where(letter => only is null || letter.Position == only)
            .Select(letter => Show(letter, withBytes: only is not null))],
    };

    /// <summary>Carries out a person's decision and returns what was done.</summary>
    /// <exception cref="InvalidOperationException">It cannot be done; the text says why.</exception>
    public async Task<string> ChangeAsync(DeadLetterVerb verb, MessagePosition position)
    {
        if (_busy)
        {
            throw new InvalidOperationException("another decision is just being logged");
        }

        _busy = true;
        try
        {
            return verb switch
            {
                DeadLetterVerb.Quarantine => await QuarantineAsync(position, force: false),
                DeadLetterVerb.QuarantineForced => await QuarantineAsync(position, force: true),
                DeadLetterVerb.Redrive => await RedriveAsync(position),
                DeadLetterVerb.Drop => await DropAsync(position),
                _ => await RetryAsync(),
            };
        }
        finally
        {
            _busy = false;
        }
    }

    private static string Describe(Suspect suspect) => suspect.Exact
        ? $"{suspect.First}, {Counted.Of(suspect.Deaths, "death")} running, last with {suspect.How}"
        : $"between {suspect.First} and {suspect.LastText}, last death with {suspect.How}";

    private static DeadLetterStatus Show(DeadLetter letter, bool withBytes)
    {
        RpcHeader header = RpcHeader.Read(PlacedMessage.DataOf(letter.Message.Span));
        return new DeadLetterStatus
        {
            Position = letter.Position.ToString(),
            From = letter.From,
            What = PlacedMessage.Describe(PlacedMessage.DataOf(letter.Message.Span)),
            MethodId = header.MethodId,
            Bytes = letter.Message.Length,
            DecidedAt = new DateTime(letter.DecidedAt, DateTimeKind.Utc),
            By = letter.By,
            Reason = letter.Reason,
            Arguments = withBytes ? Convert.ToBase64String(header.Body) : "",
        };
    }

    private async Task<string> QuarantineAsync(MessagePosition position, bool force)
    {
        bool suspected = guard.State.Suspect?.Contains(position) == true;
        if (!suspected && watchdog.StuckAt != position)
        {
            throw new InvalidOperationException(
                $"{ProcessErrors.CannotQuarantine} {position} cannot be quarantined: the app did not die in it, and is not stuck in it; "
                + $"only such a message can be");
        }

        AppSession? app = apps.Session;
        RequireWhole(position, app, force);
        return await guard.WithoutAppAsync(apps.EndSessionAsync, () => QuarantineAsync(position, app, suspected, force));
    }

    private async Task<string> QuarantineAsync(MessagePosition position, AppSession? app, bool suspected, bool force)
    {
        RequireWhole(position, app, force); // The app may have survived it meanwhile.
        PlacedMessage message = await PlacedMessage.ReadAsync(log, position)
            ?? throw new InvalidOperationException(
                $"{ProcessErrors.CannotQuarantine} {position} cannot be quarantined: the log has no such message");
        string reason = guard.State.Suspect is { } suspect && suspected ? Describe(suspect) : "the app was stuck in it";
        return await guard.QuarantineAsync(message, force ? "operator, by force" : "operator", reason);
    }

    private void RequireWhole(MessagePosition position, AppSession? app, bool force)
    {
        if (guard.WhyNot(position, app, force) is { } escape)
        {
            throw new InvalidOperationException($"{ProcessErrors.CannotQuarantine} {position} cannot be quarantined: {escape}");
        }
    }

    private async Task<string> RedriveAsync(MessagePosition position)
    {
        DeadLetter letter = Required(position);
        if (!letter.MayBeRedriven)
        {
            throw new InvalidOperationException(
                $"{position} is {PlacedMessage.Describe(PlacedMessage.DataOf(letter.Message.Span))}: its caller has been told, so it "
                + $"cannot be re-driven");
        }

        TaskCompletionSource applied = guard.Waiter();
        QuarantineStep mark = QuarantineStep.Of(PoisonStep.Redriven, position, "operator") with { Applied = applied };
        InputState operatorInput = inputs.Get(PlacedMessage.Operator);
        bool appended = await pipeline.AppendAsync(
            operatorInput, () => !stopping.IsCancellationRequested, new ReadOnlySequence<byte>(letter.Message), 1, 0,
                log.Epoch.Value, mark: mark);
        if (!appended)
        {
            throw new InvalidOperationException("the coordinator stops");
        }

        await applied.Task;
        CoreLog.Redriven(logger, position.ToString());
        return $"{position} was logged once more, as a new input";
    }

    private async Task<string> DropAsync(MessagePosition position)
    {
        Required(position);
        await guard.LogAsync(QuarantineStep.Of(PoisonStep.Dropped, position, "operator"));
        CoreLog.LetterDropped(logger, position.ToString());
        return $"{position} was dropped for good";
    }

    private async Task<string> RetryAsync()
    {
        if (guard.State.Suspect is null)
        {
            throw new InvalidOperationException("no message is suspected");
        }

        await guard.ReleaseAsync("an operator said so");
        return "the app is let in again; the count begins anew";
    }

    private DeadLetter Required(MessagePosition position) =>
        guard.State.Find(position) ?? throw new InvalidOperationException($"there is no dead letter {position}");
}
