using System.Globalization;
using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The observer's part that deals with effects on the outside (docs/guide/effects.md): who performs what and when, what of it counts, and
/// that each has one end in the log.
/// </summary>
internal sealed class EffectWatch(SimReport report, Action<ulong> note, Action<bool, string> require, Action<string>? print)
{
    private readonly Dictionary<string, EffectBooks> _books = [];
    private ulong _receipts;

    /// <summary>Calls of the outside so far.</summary>
    public long Calls { get; private set; }

    /// <summary>A turn asks for an effect; executed again it asks for the same (docs/internals/effect-rules.md E3).</summary>
    public void Asked(string instance, EffectKey key, AskedEffect effect)
    {
        EffectBooks books = Of(instance);
        print?.Invoke($"{instance}: asks for {effect.Method} {effect.Id:x} as {key}");
        if (!books.Asked.TryAdd(key, effect))
        {
            report.Sometimes(Sighting.EffectAskedAgain);
            require(books.Asked[key] == effect, $"{instance}: effect {key} is {effect}, and was {books.Asked[key]} before (G4)");
        }

        require(books.Keys.TryAdd(effect.Id, key) || books.Keys[effect.Id] == key,
            $"{instance}: {effect.Id:x} was asked for as {books.Keys[effect.Id]} and as {key} (E3)");
    }

    /// <summary>A turn cancels one, which has no outcome yet (docs/guide/effects.md).</summary>
    public void Cancelled(string instance, ulong id, MessagePosition at)
    {
        if (Of(instance).Keys.TryGetValue(id, out EffectKey key))
        {
            Of(instance).Cancelled.TryAdd(key, at);
        }
    }

    /// <summary>
    /// An app calls the outside. It acts; the turn that asked is durable, has ended and was announced as ended; the id is that of no other
    /// effect (docs/internals/effect-rules.md E3, E5, E6).
    /// </summary>
    public void Called(AppLife life, string method, ulong id, EffectContext effect)
    {
        Calls++;
        note(id);
        print?.Invoke($"{life.Instance}: calls {method} {id:x}, {effect.Id}, attempt {effect.Attempt}");
        if (life.IsDeaf)
        {
            return;
        }

        EffectBooks books = Of(life.Instance);
        string what = $"{life.Instance}: {effect.Id}, {method} {id:x},";
        int slash = effect.Id.IndexOf('/', StringComparison.Ordinal);
        books.Prefix = books.Prefix.Length > 0 ? books.Prefix : effect.Id[..slash];
        require(books.Prefix == effect.Id[..slash], $"{what} has another id than the instance, {books.Prefix} (E3)");
        EffectKey key = KeyOf(effect.Id[(slash + 1)..]);
        require(life.ActsAsPrimary, $"{what} is performed by an app that does not act (E6)");
        require(EffectBooks.PlaceOf(key) <= life.ReportedThrough, $"{what} is performed before its turn was reported as ended (E5)");
        require(key.Lsn <= life.DurableLsn, $"{what} is performed, and its turn is not durable (E5)");
        if (!books.IsCertain(key))
        {
            report.Sometimes(Sighting.EffectAfterQuarantine);
            return;
        }

        require(books.Asked.TryGetValue(key, out AskedEffect asked), $"{what} is performed, and nobody asked for it (E5)");
        require((asked.Method, asked.Id, asked.At) == (method, id, effect.Asked), $"{what} is performed, and {asked} was asked for (E3)");
        report.Sometimes(effect.Attempt > 1 ? Sighting.EffectTriedAgain : Sighting.EffectCalled);
        if (method == nameof(IOutside.Ship))
        {
            foreach ((EffectKey other, AskedEffect earlier) in books.Asked)
            {
                bool isBefore = earlier.Method == method && other.CompareTo(key) < 0 && books.IsCertain(other) && !books.IsOver(other);
                require(!isBefore, $"{what} is performed before the outcome of {other} was executed (E18)");
            }
        }
    }

    /// <summary>The outside has done it; gives the number of the receipt.</summary>
    public ulong Performed(string instance, ulong id, string effect)
    {
        if (!Of(instance).Receipts.TryGetValue(id, out HashSet<ulong>? given))
        {
            Of(instance).Receipts[id] = given = [];
        }
        else
        {
            report.Sometimes(Sighting.EffectRepeated);
        }

        given.Add(++_receipts);
        print?.Invoke($"outside: has performed {effect}, receipt {_receipts}");
        return _receipts;
    }

    /// <summary>The outside has refused it.</summary>
    public void Refused(string instance, ulong id) => Of(instance).Refused.Add(id);

    /// <summary>Whether the outside has ever refused it.</summary>
    public bool WasRefused(string instance, ulong id) => Of(instance).Refused.Contains(id);

    /// <summary>Whether the outside has ever done it.</summary>
    public bool WasPerformed(string instance, ulong id) => Of(instance).Receipts.ContainsKey(id);

    /// <summary>Whether somebody wanted it to be given up.</summary>
    public bool MayBeGivenUp(string instance, ulong id) =>
        Of(instance).Keys.TryGetValue(id, out EffectKey key) && Of(instance).MayBeGivenUp.Contains(key);

    /// <summary>
    /// An await got a receipt: one that the outside gave, and each execution of that place gets the same (docs/internals/effect-rules.md
    /// E8).
    /// </summary>
    public bool Takes(string instance, ulong id, ulong receipt, MessagePosition at)
    {
        EffectBooks books = Of(instance);
        if (!books.Taken.TryAdd(id, (at, receipt)))
        {
            report.Sometimes(Sighting.EffectTakenAgain);
        }

        return books.Taken[id] == (at, receipt) && books.Receipts.TryGetValue(id, out HashSet<ulong>? given) && given.Contains(receipt);
    }

    /// <summary>An operator wants an effect to be given up; gives its argument, if that is known.</summary>
    public ulong? GivingUp(string instance, EffectKey key)
    {
        Of(instance).MayBeGivenUp.Add(key);
        return IdOf(instance, key);
    }

    /// <summary>The argument of an effect; null if nobody asked for it.</summary>
    public ulong? IdOf(string instance, EffectKey key) => Of(instance).Asked.TryGetValue(key, out AskedEffect asked) ? asked.Id : null;

    /// <summary>An app has sent itself an outcome or a note.</summary>
    public void Sent(string instance, ulong identity)
    {
        (int sent, int logged) = Of(instance).Impulses.GetValueOrDefault(identity);
        Of(instance).Impulses[identity] = (sent + 1, logged);
    }

    /// <summary>
    /// An outcome or a note was logged, and is executed for the first time: nobody but the app itself has sent it, as often.
    /// </summary>
    public void Logged(string instance, MessagePosition at, ulong identity, ReadOnlySpan<byte> rpc)
    {
        EffectBooks books = Of(instance);
        (int sent, int logged) = books.Impulses.GetValueOrDefault(identity);
        books.Impulses[identity] = (sent, logged + 1);
        require(logged < sent, $"{instance}: {at} is an outcome or a note that was sent {sent} times, and logged once more (G2)");
        RpcHeader header = RpcHeader.Read(rpc);
        if (EffectOutcome.TryRead(header, out EffectOutcome outcome))
        {
            report.Sometimes(books.IsOver(outcome.Key) ? Sighting.EffectOutcomeRepeated : Sighting.EffectOutcome);
            books.Ended.TryAdd(outcome.Key, at);
            RequireFromOutside(instance, books, outcome);
        }
        else if (EffectNote.TryRead(header, out EffectNote noted))
        {
            report.Sometimes(noted.Kind switch
            {
                EffectNoteKind.Marked => Sighting.EffectMarked,
                EffectNoteKind.Run => Sighting.EffectRunByOperator,
                EffectNoteKind.GivenUp => Sighting.EffectGivenUp,
                _ => Sighting.EffectNoted,
            });
            if (noted.Kind == EffectNoteKind.GivenUp)
            {
                books.GivenUp.Add(noted.Key);
                require(books.MayBeGivenUp.Contains(noted.Key), $"{instance}: nobody wanted {noted.Key} to be given up (E20)");
            }
        }
    }

    /// <summary>A message was taken out: what its turn and later ones have asked for, cancelled and taken has not happened.</summary>
    public void Decided(string instance, MessagePosition skip)
    {
        EffectBooks books = Of(instance);
        books.FirstSkip = books.FirstSkip is { } first && first <= skip ? first : skip;
        foreach (EffectKey key in books.Asked.Keys.Where(key => EffectBooks.PlaceOf(key) >= skip).ToList())
        {
            books.Keys.Remove(books.Asked[key].Id);
            books.Asked.Remove(key);
        }

        foreach (EffectKey key in books.Cancelled.Where(cancelled => cancelled.Value >= skip).Select(static one => one.Key).ToList())
        {
            books.Cancelled.Remove(key);
        }

        foreach (ulong id in books.Taken.Where(taken => taken.Value.At >= skip).Select(static one => one.Key).ToList())
        {
            books.Taken.Remove(id);
        }
    }

    /// <summary>Healed and idle: everything that was asked for was performed and has its outcome, or somebody has decided.</summary>
    public void RequireComplete()
    {
        foreach ((string instance, EffectBooks books) in _books)
        {
            foreach ((EffectKey key, AskedEffect asked) in books.Asked)
            {
                require(books.IsOver(key), $"{instance}: {asked.Method} {asked.Id:x}, asked for as {key}, has no outcome (E8)");
            }
        }
    }

    /// <summary>An outcome says what the outside has said (docs/internals/effect-rules.md E8, E12).</summary>
    private void RequireFromOutside(string instance, EffectBooks books, in EffectOutcome outcome)
    {
        if (!books.IsCertain(outcome.Key) || !books.Asked.TryGetValue(outcome.Key, out AskedEffect asked))
        {
            require(!books.IsCertain(outcome.Key), $"{instance}: the outcome of {outcome.Key} was logged, and nobody asked for it (E8)");
            return;
        }

        // An exception stands for a refusal, or for a receipt that is too large.
        bool isRight = outcome.Form == RpcForm.Exception
            ? books.Refused.Contains(asked.Id) || books.Receipts.ContainsKey(asked.Id)
            : books.Receipts.ContainsKey(asked.Id);
        require(isRight, $"{instance}: {outcome.Key} has an outcome that the outside never gave (E12)");
    }

    private EffectBooks Of(string instance)
    {
        if (!_books.TryGetValue(instance, out EffectBooks? books))
        {
            _books[instance] = books = new EffectBooks();
        }

        return books;
    }

    /// <summary>Reads <c>17:3:0</c>.</summary>
    public static EffectKey KeyOf(string text)
    {
        string[] parts = text.Split(':');
        return new EffectKey(ulong.Parse(parts[0], CultureInfo.InvariantCulture), int.Parse(parts[1], CultureInfo.InvariantCulture),
            int.Parse(parts[2], CultureInfo.InvariantCulture));
    }
}
