using System.Text.Json;
using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;
using Ambrosia.TimeTravel.Tests.Apps;
using Ambrosia.TimeTravel.Tests.Support;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Tests;

/// <summary>G11: any retained log can be replayed to any point of it.</summary>
public sealed class TravelTests(LedgerLog log) : IClassFixture<LedgerLog>
{
    [Fact]
    public async Task A_unit_test_gets_the_object_as_it_was_after_a_record()
    {
        ulong[] lsns = await LsnsAsync();
        Ledger middle = await ImmortalReplay.From(log.Folder).To<Ledger>(lsns[lsns.Length / 2]);
        Ledger end = await ImmortalReplay.From(log.Folder).ToEnd<Ledger>();
        Assert.InRange(middle.Handled, 1, end.Handled - 1);
        Assert.True(end.Handled > 2 * LedgerLog.Payments, $"{end.Handled} handled");
        Assert.Equal(20, end.Notes.Count);
    }

    [Fact]
    public async Task From_every_checkpoint_and_from_the_first_record_the_same_state_is_reached()
    {
        await using Replay<Ledger> whole = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        await whole.Traveler.RunAsync(static _ => false);
        string? expected = await whole.Traveler.StateHashAsync();
        IReadOnlyList<ulong> checkpoints = whole.Traveler.Log.Checkpoints;
        Assert.True(checkpoints.Count > 2, $"{checkpoints.Count} checkpoints");
        foreach (ulong checkpoint in checkpoints)
        {
            await using Replay<Ledger> replay = await ImmortalReplay.From(log.Folder).Checkpoint(checkpoint).OpenAsync<Ledger>();
            await replay.Traveler.RunAsync(static _ => false);
            Assert.Equal(expected, await replay.Traveler.StateHashAsync());
        }
    }

    [Fact]
    public async Task An_object_that_is_asked_for_at_a_checkpoint_has_loaded_it()
    {
        await using Replay<Ledger> whole = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        foreach (ulong checkpoint in whole.Traveler.Log.Checkpoints.Where(static lsn => lsn > 0).Order())
        {
            bool isFollowed = await whole.Traveler.RunAsync(message => message.Position.Lsn > checkpoint);
            // A stop takes the last one.
            Assert.True(isFollowed || await HasNoMessageAfterAsync(checkpoint), $"stopped before {checkpoint}");
            Ledger there = await ImmortalReplay.From(log.Folder).To<Ledger>(checkpoint);
            await using Replay<Ledger> loaded = await ImmortalReplay.From(log.Folder).Checkpoint(checkpoint).OpenAsync<Ledger>();
            Assert.Equal((whole.Immortal.Handled, whole.Immortal.Handled), (there.Handled, loaded.Immortal.Handled));
        }
    }

    private async Task<bool> HasNoMessageAfterAsync(ulong checkpoint)
    {
        await using Replay<Ledger> rest = await ImmortalReplay.From(log.Folder).Checkpoint(checkpoint).OpenAsync<Ledger>();
        return !await rest.Traveler.RunAsync(static _ => true);
    }

    [Fact]
    public async Task A_log_whose_beginning_was_deleted_is_replayed_from_the_oldest_checkpoint_that_is_kept()
    {
        await using var tally = TallyLog.StartForgetful();
        await tally.WorkAsync(40_000);
        await tally.StopAsync();
        await using ReplayLog kept = await ReplayLog.OpenFolderAsync(tally.Folder);
        Assert.True(kept.OldestLsn > 1, "nothing was deleted");
        Assert.Contains(kept.Beginning, kept.Checkpoints);
        Assert.True((await ImmortalReplay.From(tally.Folder).ToEnd<Tally>()).Handled > 0);
        Assert.True((await new RetroactiveLog(tally.Folder).Verify<Tally>()).IsSame);
    }

    [Fact]
    public async Task Message_by_message_and_at_one_go_the_same_states_are_passed()
    {
        await using Replay<Ledger> steps = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        var seen = new List<(Position At, string? Hash)>();
        for (int i = 0; i < 400 && await steps.Traveler.StepAsync(); i++)
        {
            seen.Add((steps.Traveler.At, await steps.Traveler.StateHashAsync()));
        }

        Assert.True(seen.Count(static s => s.At.Index > 0) > 50, "records hold several messages");
        await using Replay<Ledger> jumps = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        foreach ((Position at, string? hash) in seen.Where(static (_, i) => i % 7 == 0).Reverse())
        {
            Assert.True(await jumps.Traveler.GoToAsync(at));
            Assert.Equal(at, jumps.Traveler.At);
            Assert.Equal(hash, await jumps.Traveler.StateHashAsync());
        }
    }

    [Fact]
    public async Task Going_back_by_messages_undoes_exactly_that_many()
    {
        await using Replay<Ledger> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        TimeTraveler traveler = replay.Traveler;
        await traveler.RunAsync(static _ => false);
        var states = new Stack<(Position At, string? Hash)>();
        foreach (int back in new[] { 1, 1, 2, 30, 1000, 1, 500 })
        {
            Assert.True(await traveler.BackAsync(back));
            states.Push((traveler.At, await traveler.StateHashAsync()));
            Position here = traveler.At;
            for (int i = 0; i < back; i++)
            {
                await traveler.StepAsync();
            }

            await traveler.BackAsync(back);
            Assert.Equal(here, traveler.At);
            Assert.Equal(states.Peek().Hash, await traveler.StateHashAsync());
        }

        Assert.False(await traveler.BackAsync(long.MaxValue / 2));
        Assert.Equal(traveler.Start, traveler.At);
        Assert.Equal(0, replay.Immortal.Handled);
    }

    [Fact]
    public async Task It_stops_before_the_next_message_of_a_method_or_a_sender_and_at_a_state()
    {
        await using Replay<Ledger> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        TimeTraveler traveler = replay.Traveler;
        Assert.True(await traveler.RunAsync(static message => message.Kind == MessageKind.Timer));
        Assert.Equal(MessageKind.Timer, (await traveler.PeekAsync())!.Value.Kind);
        Assert.True(await traveler.RunUntilStateAsync(static (_, state) =>
            StateText.Find(state, "state.accounts.savings")?.GetInt64() >= 5));
        Assert.Equal(5, replay.Immortal.Of("savings"));
        await traveler.BackAsync(1);
        Assert.Equal(4, replay.Immortal.Of("savings"));
        Assert.False(await traveler.RunAsync(static message => message.From == "nobody"));
    }

    [Fact]
    public async Task What_a_message_made_is_told_as_outputs_and_as_the_difference_of_the_states()
    {
        await using Replay<Ledger> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        TimeTraveler traveler = replay.Traveler;
        Assert.True(await traveler.RunAsync(static message =>
            message.Kind == MessageKind.Impulse && message.Position.Index > 2 && AmountOf(message) % 5 == 2));
        LoggedMessage pay = (await traveler.PeekAsync())!.Value;
        await traveler.StepAsync();
        MessageEffect effect = (await traveler.ExamineAsync())!;
        Assert.Equal(pay.Position, effect.Message.Position);
        Assert.Equal(["ledger", "ledger"], effect.Outputs.Select(static output => output.Destination));
        Assert.Contains(effect.Differences, static d => d.Path.StartsWith("state._accounts.account", StringComparison.Ordinal));
        StateDifference handled = Assert.Single(effect.Differences, static d => d.Path == "state._handled");
        Assert.Equal(long.Parse(handled.Before!) + 1, long.Parse(handled.After!));
    }

    [Fact]
    public async Task The_state_of_a_suspended_call_is_shown()
    {
        await using Replay<Ledger> replay = await ImmortalReplay.From(log.Folder).Checkpoint(0).OpenAsync<Ledger>();
        Assert.True(await replay.Traveler.RunAsync(static message => message.Kind == MessageKind.Reply));
        using JsonDocument state = await replay.Traveler.StateAsync();
        Assert.Contains("Transfer", state.RootElement.GetProperty("suspended").ToString(), StringComparison.Ordinal);
    }

    private static long AmountOf(LoggedMessage message) => MessagePackText.ToJson(message.Body)![1]!.GetValue<long>();

    private async Task<ulong[]> LsnsAsync()
    {
        await using ReplayLog opened = await ReplayLog.OpenFolderAsync(log.Folder);
        var lsns = new List<ulong>();
        for (ulong lsn = 1; await opened.ReadAsync(lsn) is { } record; lsn++)
        {
            lsns.Add(record.Lsn);
        }

        return [.. lsns];
    }
}
