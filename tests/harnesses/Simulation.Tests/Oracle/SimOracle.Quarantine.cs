using Ambrosia.Primitives;
using Ambrosia.Protocol;

namespace Ambrosia.Simulation.Tests;

/// <summary>The observer's part that deals with messages taken out of a log: from when on nobody may execute them, and what becomes of
/// them.</summary>
internal sealed partial class SimOracle
{
    private SimOracle? _deaf;

    /// <summary>Listens to what a dead process would have done, and remembers nothing that counts.</summary>
    public SimOracle Deaf => _deaf ??= new SimOracle(new SimReport(), static _ => { }, null, now);

    /// <summary>What is known to have been taken out.</summary>
    public MessagePosition[] Skips(string instance) => [.. History(instance).Quarantine.Skips];

    /// <summary>A new life of an app is about to attach.</summary>
    public void Begins(AppLife life) => History(life.Instance).Lives.Add(life);

    /// <summary>An app was told that it must not execute a message.</summary>
    public void SkipTold(string instance, MessagePosition position)
    {
        report.Sometimes(History(instance).Quarantine.Skips.Contains(position) ? Sighting.SkipToldAgain : Sighting.SkipTold);
        Decided(instance, position);
    }

    /// <summary>
    /// A decision is durable. What a life that had survived the message generated from there on has not happened; and nothing of it may
    /// have left.
    /// </summary>
    public void Decided(string instance, MessagePosition position)
    {
        InstanceHistory history = History(instance);
        if (!history.Quarantine.Skips.Add(position))
        {
            return;
        }

        print?.Invoke($"{instance}: {position} is known to be quarantined");
        note(Bits.Mix(position.Lsn, (ulong)position.Index));
        history.Quarantine.Kept.Add(position);
        history.Lives.ForEach(life => life.Learn(position));
        foreach (Connection connection in _connections.Values.Where(connection => connection.From == instance))
        {
            Withdraw(connection, position);
        }

        Effects.Decided(instance, position);
        RemoveAll(history.States, place => new MessagePosition(place.Lsn, place.Index) > position);
        RemoveAll(_awaits, (_, place) => place.Instance == instance && new MessagePosition(place.Lsn, place.Index) >= position);
        RemoveAll(_resumed, (_, place) => place.Instance == instance && new MessagePosition(place.Lsn, place.Index) >= position);
    }

    /// <summary>Whether a message is known to have been taken out.</summary>
    public bool IsSkipped(string instance, MessagePosition position) => History(instance).Quarantine.Skips.Contains(position);

    /// <summary>An operator asks for a letter to be logged once more: it may be executed at one other place.</summary>
    public void Redriving(string instance, MessagePosition letter)
    {
        Decided(instance, letter);
        InstanceHistory history = History(instance);
        history.Quarantine.Kept.Remove(letter);
        if (history.Executed.TryGetValue((letter.Lsn, letter.Index), out (ulong Identity, ulong, long) message))
        {
            if (!history.Quarantine.Asked.TryGetValue(message.Identity, out HashSet<MessagePosition>? asked))
            {
                history.Quarantine.Asked[message.Identity] = asked = [];
            }

            asked.Add(letter);
        }
    }

    /// <summary>It was logged: it must be executed, unless it has been already.</summary>
    public void Redriven(string instance, MessagePosition letter)
    {
        Quarantine quarantine = History(instance).Quarantine;
        if (quarantine.Asked.Values.Any(asked => asked.Contains(letter)))
        {
            quarantine.Owed.Add(letter);
        }
    }

    /// <summary>An operator asks for a letter to be thrown away.</summary>
    public void Dropping(string instance, MessagePosition letter)
    {
        Decided(instance, letter);
        History(instance).Quarantine.Kept.Remove(letter);
    }

    /// <summary>The letters that a coordinator keeps: none that nobody asked away may be missing.</summary>
    public void Letters(string instance, HashSet<MessagePosition> listed)
    {
        report.Sometimes(Sighting.LettersCompared);
        Require(History(instance).Quarantine.Kept.IsSubsetOf(listed),
            $"{instance}: dead letters {string.Join(", ", History(instance).Quarantine.Kept.Except(listed))} are gone");
        foreach (MessagePosition letter in listed)
        {
            Decided(instance, letter);
        }
    }

    private bool IsRedriven(InstanceHistory history, ulong identity)
    {
        if (history.Quarantine.Asked.Count == 0 || !WasExecuted(history, identity)
            || !history.Quarantine.Asked.TryGetValue(identity, out HashSet<MessagePosition>? asked) || asked.Count == 0)
        {
            return false;
        }

        MessagePosition letter = asked.First();
        asked.Remove(letter);
        history.Quarantine.Owed.Remove(letter);
        report.Sometimes(Sighting.DeadLetterRedriven);
        return true;
    }

    private static bool WasExecuted(InstanceHistory history, ulong identity) =>
        history.Senders.TryGetValue(identity, out (Connection From, int Number) sender) ? sender.Number <= sender.From.Executed
            : history.Impulses.TryGetValue(identity, out SentImpulse? impulse) && impulse.Executed;

    private void Withdraw(Connection connection, MessagePosition skipped)
    {
        int kept = connection.Through.FindIndex(through => through >= skipped);
        if (kept < 0)
        {
            return;
        }

        report.Sometimes(Sighting.OutputsOfSkippedTurnWithdrawn);
        Require(kept >= connection.Executed, connection, connection.Executed,
            $"was executed although {skipped}, before which it was not sent, was quarantined afterwards");
        for (int i = kept; i < connection.Sent.Count; i++)
        {
            History(connection.To).Senders.Remove(connection.Sent[i]);
        }

        connection.Sent.RemoveRange(kept, connection.Sent.Count - kept);
        connection.Through.RemoveRange(kept, connection.Through.Count - kept);
    }

    private static void RemoveAll<TKey, TValue>(Dictionary<TKey, TValue> from, Func<TKey, TValue, bool> condition)
        where TKey : notnull
    {
        foreach (TKey key in from.Where(entry => condition(entry.Key, entry.Value)).Select(entry => entry.Key).ToList())
        {
            from.Remove(key);
        }
    }

    private static void RemoveAll<TKey, TValue>(Dictionary<TKey, TValue> from, Func<TKey, bool> condition)
        where TKey : notnull => RemoveAll(from, (key, _) => condition(key));
}
