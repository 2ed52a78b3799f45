using Ambrosia.Coordinator.Checkpoints;
using Ambrosia.Coordinator.Context;
using Ambrosia.Coordinator.Ingest;
using Ambrosia.Coordinator.Records;
using Ambrosia.Coordinator.Settings;
using Ambrosia.Coordinator.State;
using Ambrosia.Coordinator.Transport;
using Ambrosia.LogStore;
using Ambrosia.LogStore.Storage;
using Ambrosia.Protocol;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Coordinator.Poison;

/// <summary>
/// Finds the message that kills the app, and keeps the app out when it has done so too often. Each judgement is logged before the next app
/// is let in. docs/internals/quarantine.md has the rules.
/// </summary>
internal sealed class PoisonGuard(
    WriteAheadLog log, CoordinatorState coordinator, PendingMarks pending, Action flush,
        InstanceSettings options, TimeProvider time, CoreCounters counters, ILogger logger)
{
    /// <summary>Deaths running in one message after which the instance is on hold.</summary>
    public const int HoldAfter = 3;

    private readonly List<TaskCompletionSource> _waiting = [];
    private MessagePosition _executed;
    private Lsn _earlier;
    private bool _outsideBefore;
    private bool _abandoned;
    private bool _clearing;
    private bool _judged;

    /// <summary>What the log says.</summary>
    public PoisonState State => coordinator.Poison;

    /// <summary>
    /// Completes when a person's decision has been logged or refused; null while there is none. Until then no app is let in.
    /// </summary>
    public Task? Decision { get; private set; }

    /// <summary>Why the app is not let in; empty while it is.</summary>
    public string HoldText { get; private set; } = "";

    /// <summary>A secondary judges nobody: it only repeats what the primary has logged.</summary>
    public bool Passive { get; set; }

    /// <summary>How many dead letters are kept.</summary>
    public CoreLimits Limits { get; init; } = CoreLimits.Product;

    /// <summary>Where decisions are made beside replicas; null when there are none.</summary>
    public CheckpointBarrier? Barrier { get; init; }

    private int MostDeaths => Math.Max(HoldAfter, options.QuarantineAfter);

    private bool OnHold => State.Suspect is { Exact: true } suspect && suspect.Deaths >= MostDeaths;

    /// <summary>
    /// The state is restored and the log applied to it: what the log holds so far, an earlier life may have given to an app.
    /// </summary>
    public ValueTask RestoreAsync()
    {
        _earlier = log.DurableLsn;
        _outsideBefore = coordinator.Outside.Total > 0;
        return RefreshAsync();
    }

    /// <summary>What a secondary read in the log, after it was applied to the state.</summary>
    public ValueTask FollowedAsync() => RefreshAsync();

    /// <summary>A record of this process is durable and applied to the state, with these marks.</summary>
    public void BecameDurable(List<QuarantineStep> marks)
    {
        foreach (QuarantineStep mark in marks)
        {
            _clearing &= mark.Step != PoisonStep.Cleared;
            if (mark.Applied is { } applied)
            {
                _waiting.Remove(applied);
                applied.TrySetResult();
            }
        }
    }

    /// <summary>Everything before this message has ended its turn. A suspect that the app has survived is none any more.</summary>
    public void Progressed(MessagePosition firstUnfinished)
    {
        _executed = _executed < firstUnfinished ? firstUnfinished : _executed;
        if (!Passive && State.Suspect is { } suspect && suspect.Last < firstUnfinished && !_clearing)
        {
            _clearing = true;
            pending.Add(QuarantineStep.Of(PoisonStep.Cleared, suspect.First, "the app survived it"));
        }
    }

    /// <summary>Why this app is refused; null if it is not. One of another build than the one that died gets a chance.</summary>
    public async ValueTask<BindingRefused?> ObjectionAsync(BindingHello hello)
    {
        if (!OnHold)
        {
            return null;
        }

        if (State.Suspect!.Build != BuildOf(hello))
        {
            if (Passive)
            {
                return null;
            }

            await ReleaseAsync("another build came");
            return null;
        }

        return new BindingRefused(ProcessErrors.OnHold, HoldText);
    }

    /// <summary>Ends a hold: the app may try again.</summary>
    public async Task ReleaseAsync(string why)
    {
        if (State.Suspect is { } suspect)
        {
            await LogAsync(QuarantineStep.Of(PoisonStep.Cleared, suspect.First, why));
            CoreLog.HoldReleased(logger, suspect.First.ToString(), why);
            await RefreshAsync();
        }
    }

    /// <summary>An app's connection has ended and everything it sent was read.</summary>
    public async Task EndedAsync(IAttachedApp session, BindingHello? hello)
    {
        NoteEscape(session);
        if (Passive || !session.LinkLost || session.Process is not { } process || session.LastDelivered < session.ExecutedBefore)
        {
            return;
        }

        AppEnd end = session.KilledByDeadline ? new AppEnd(AppEndCause.Own, "ended by --handler-deadline") : await process.EndAsync(time);
        if (session.FaultedAt is { } fault && fault >= session.ExecutedBefore)
        {
            end = end with { Cause = AppEndCause.Own };
        }
        else if (session.Farewell is not null || end.Cause == AppEndCause.Outside)
        {
            return;
        }

        await JudgeAsync(session, end.Text, BuildOf(hello));
    }

    /// <summary>
    /// What has left of an open turn counts however the app ended, and for the next app, too. Which message of the record sent it is known
    /// only where messages come one by one.
    /// </summary>
    private void NoteEscape(IAttachedApp session)
    {
        MessagePosition first = session.ExecutedBefore;
        if (session.EscapedOpenTurn && session.LastDelivered >= first)
        {
            MessagePosition end = session.LastDelivered is var last && last.Lsn == first.Lsn && last.Index < int.MaxValue
                ? last with { Index = last.Index + 1 } : first.NextRecord;
            _executed = _executed < end ? end : _executed;
        }
    }

    /// <summary>Logs a step and returns when it is durable and applied.</summary>
    /// <exception cref="OperationCanceledException">The coordinator stops.</exception>
    public async Task LogAsync(QuarantineStep mark)
    {
        TaskCompletionSource applied = Waiter();
        pending.Add(mark with { Applied = applied });
        flush();
        await applied.Task;
    }

    /// <summary>Something to wait with for a mark that is logged by somebody else.</summary>
    public TaskCompletionSource Waiter()
    {
        var applied = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        if (_abandoned)
        {
            applied.SetCanceled();
        }

        _waiting.Add(applied);
        return applied;
    }

    /// <summary>The log ends: nobody waits for it any more.</summary>
    public void Abandon()
    {
        _abandoned = true;
        Barrier?.Abandon();
        _waiting.ForEach(static waiter => waiter.TrySetCanceled());
        _waiting.Clear();
    }

    /// <summary>
    /// Why a message cannot be skipped; null if it can: nothing of its turn may have left, in this life or in one before.
    /// </summary>
    public string? EscapeOf(MessagePosition position, IAttachedApp? session)
    {
        if (session is { EscapedOpenTurn: true } || State.Suspect is { Escaped: true } suspect && suspect.Contains(position))
        {
            return "some of what it sends has left already: its turn exceeded --max-turn-bytes, or an earlier life of the app went further";
        }

        return _executed > position ? "it was executed before, and what it sent has left" : null;
    }

    /// <summary>Why a decision to skip a message is refused; null if it is not: it has escaped, or nobody can know yet.</summary>
    /// <param name="position">The message.</param>
    /// <param name="session">The app that is attached, if any.</param>
    /// <param name="force">
    /// Whether a person has decided to go on although callers from outside may have been told something else (X17). It never stands in for
    /// the answer of a peer.
    /// </param>
    public string? WhyNot(MessagePosition position, IAttachedApp? session, bool force)
    {
        // Between a death that an earlier life has logged and its end an app may have survived the message; not on hold, for then none was
        // let in.
        bool unsure = State.Suspect is { } suspect && suspect.Contains(position) ? suspect.Unsure || !(_judged || OnHold)
            : IsUnsure(position);
        return EscapeOf(position, session) ?? (unsure ? WhyUnsure(force) : null);
    }

    private string? WhyUnsure(bool force)
    {
        if (!_outsideBefore || !coordinator.Outputs.AllHaveAnswered)
        {
            coordinator.Outputs.AskAll();
            return "an app of an earlier life of the coordinator may have survived it, and not every peer has answered that may have "
                + "got what it sends; let the app try again when they are connected (retry)";
        }

        return force && !coordinator.Outputs.AnyHasMoreThanGenerated ? null
            : "an app of an earlier life of the coordinator may have survived it, and a caller from outside may have been told what that "
            + "answered; let the app try again (retry), start a build that survives it; or, if no caller matters, quarantine with --force";
    }

    // An earlier life of this coordinator may have given it to an app. Peers that got what that sent say so when they answer; callers from
    // outside that were told something cannot be asked (X17).
    private bool IsUnsure(MessagePosition position) =>
        position.Lsn <= _earlier.Value && (_outsideBefore || !coordinator.Outputs.AllHaveAnswered);

    /// <summary>
    /// Carries out a decision that no app may run beside: between it and its mark an app could survive the message, and what that sends
    /// could leave.
    /// </summary>
    public async Task<string> WithoutAppAsync(Func<Task> endApp, Func<Task<string>> decide)
    {
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Decision = done.Task;
        try
        {
            await endApp();
            return await decide();
        }
        finally
        {
            Decision = null;
            done.SetResult();
        }
    }

    /// <summary>Takes a message out of the log for good and keeps it as a dead letter.</summary>
    /// <returns>What was done.</returns>
    /// <exception cref="InvalidOperationException">It cannot be; the text says why.</exception>
    public async Task<string> QuarantineAsync(PlacedMessage message, string by, string reason)
    {
        if (State.Letters.Count >= Limits.DeadLetters || State.Bytes + message.Message.Length > Limits.DeadLetterBytes)
        {
            Limits.Decided(CoreLimit.DeadLetters);
            throw new InvalidOperationException(
                $"{ProcessErrors.CannotQuarantine} {message.Position} cannot be quarantined: {State.Letters.Count} dead letters of "
                + $"{State.Bytes} bytes are kept already; re-drive or drop some");
        }

        try
        {
            await using ILogLease? room = await EnterRoomAsync(message.Position, by);
            await RequireNobodyBeyondAsync(message.Position);
            QuarantineStep mark = QuarantineStep.Of(PoisonStep.Quarantined, message.Position, by, reason, State.Suspect?.Deaths ?? 0);
            await LogAsync(mark with { Letter = new DeadLetter(message.Position, message.From, message.Message) });
        }
        catch (Exception error) when (error is InvalidOperationException or IOException)
        {
            // Also when the store failed: until the decision has ended no replica makes a checkpoint after the message.
            await LogAsync(QuarantineStep.Of(PoisonStep.QuarantineRejected, message.Position, by));
            await RefreshAsync();
            throw;
        }

        CoreLog.Quarantined(logger, message.Describe(), by);
        await RefreshAsync();
        return $"{message.Describe()} is quarantined: the app will not get it again";
    }

    // Logged before the lock is waited for: its holder steps back when it reads this, and a later holder, should we lose it, finds it
    // there.
    private async ValueTask<ILogLease?> EnterRoomAsync(MessagePosition position, string by)
    {
        if (Barrier is not { } room)
        {
            return null;
        }

        await LogAsync(QuarantineStep.Of(PoisonStep.QuarantineProposed, position, by));
        return await room.EnterAsync(position);
    }

    /// <summary>
    /// A checkpoint that contains the message proves that an app has survived it, and every recovery begins with that one or a later one:
    /// the message counts as executed. It is looked for on the store, because a primary knows only those that it has adopted, and the one
    /// before may have died before it had.
    /// </summary>
    private async ValueTask RequireNobodyBeyondAsync(MessagePosition position)
    {
        if (await log.OpenNewestCheckpointAsync() is not { } newest)
        {
            return;
        }

        await newest.DisposeAsync();
        if (newest.Lsn.Value >= position.Lsn)
        {
            Progressed(new MessagePosition(newest.Lsn.Next.Value, 0));
            throw new InvalidOperationException(
                $"{ProcessErrors.CannotQuarantine} {position} cannot be quarantined: another replica's app has survived it, and has made "
                + $"the checkpoint at {newest.Lsn}, with which the app begins now");
        }
    }

    private static string BuildOf(BindingHello? hello) =>
        hello is null ? "" : QuarantineStep.Cut($"{hello.AppVersion} {hello.BuildFingerprint}".Trim());

    private async Task JudgeAsync(IAttachedApp session, string how, string build)
    {
        counters.AppDeaths++;
        MessagePosition first = session.ExecutedBefore;
        MessagePosition? begun = session.Running is { } running && running >= first ? running : null;
        bool escaped = EscapeOf(begun ?? first, session) is not null || coordinator.Outputs.AnyHasMoreThanGenerated;
        Suspect suspect = begun is { } position
            ? Suspect.After(State.Suspect, position, escaped, how, build)
            : Suspect.After(State.Suspect, first, session.LastDelivered, escaped, how, build);
        suspect = suspect with { Unsure = IsUnsure(suspect.First) };
        if (suspect.Unsure)
        {
            coordinator.Outputs.AskAll();
        }

        await LogAsync(suspect.ToMark());
        _judged = true;
        if (!suspect.Exact)
        {
            CoreLog.AppDiedSomewhere(logger, how, suspect.First.ToString(), suspect.LastText);
            return;
        }

        CoreLog.AppDiedIn(logger, how, suspect.First.ToString(), suspect.Deaths);
        bool byPolicy = options.QuarantineAfter > 0 && suspect.Deaths >= options.QuarantineAfter && !suspect.Escaped && !suspect.Unsure;
        if (!byPolicy || !await QuarantineByPolicyAsync(suspect))
        {
            await RefreshAsync();
        }
    }

    private async ValueTask<bool> QuarantineByPolicyAsync(Suspect suspect)
    {
        if (await PlacedMessage.ReadAsync(log, suspect.First) is not { } message)
        {
            return false;
        }

        try
        {
            await QuarantineAsync(
                message, "--quarantine-after", $"the app died {Counted.Of(suspect.Deaths, "time")} running, last with {suspect.How}");
            return true;
        }
        catch (InvalidOperationException refused)
        {
            CoreLog.NotQuarantined(logger, refused.Message);
            return false;
        }
    }

    private async ValueTask RefreshAsync()
    {
        bool before = HoldText.Length > 0;
        HoldText = OnHold ? await DescribeHoldAsync(State.Suspect!) : "";
        if (HoldText.Length > 0 && !before)
        {
            CoreLog.OnHold(logger, HoldText);
        }
    }

    private async ValueTask<string> DescribeHoldAsync(Suspect suspect)
    {
        PlacedMessage? message = await PlacedMessage.ReadAsync(log, suspect.First);
        string quarantine = $"'ambrosia deadletters quarantine {options.InstanceName} {suspect.First}";
        string advice = suspect switch
        {
            { Escaped: true } =>
                "it cannot be skipped, because some of what it sends has left already: start a build that survives it, or retry",
            { Unsure: true } when _outsideBefore && coordinator.Outputs.AllHaveAnswered =>
                $"a caller from outside may have been told what an earlier life of the app answered there: start a build that survives it; "
                + $"or 'ambrosia deadletters retry {options.InstanceName}'; or {quarantine} --force'",
            { Unsure: true } => $"whether it can be skipped is not known yet: 'ambrosia deadletters retry {options.InstanceName}' "
            + $"when its peers "
                + "are connected, or start a build that survives it",
            _ => $"start a build that survives it; or {quarantine}', or '... retry {options.InstanceName}'",
        };
        return $"on hold: message {message?.Describe() ?? suspect.First.ToString()} has ended the app "
            + $"{Counted.Of(suspect.Deaths, "time")} running, last with {suspect.How}"
            + $" | {options.InstanceName} | what arrives is logged and confirmed, nothing is executed | {advice}";
    }
}
