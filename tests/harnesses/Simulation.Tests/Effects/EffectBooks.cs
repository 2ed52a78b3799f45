using Ambrosia.Protocol;
using Ambrosia.Runtime;

namespace Ambrosia.Simulation.Tests;

/// <summary>What an observer knows of the effects of one instance.</summary>
internal sealed class EffectBooks
{
    /// <summary>What turns of the newest history have asked for.</summary>
    public SortedDictionary<EffectKey, AskedEffect> Asked { get; } = [];

    /// <summary>The same by the argument, which is never used twice.</summary>
    public Dictionary<ulong, EffectKey> Keys { get; } = [];

    /// <summary>Effects whose outcome was logged, a quarantined one included, and where first.</summary>
    public Dictionary<EffectKey, MessagePosition> Ended { get; } = [];

    /// <summary>Effects that were cancelled, and the messages whose turns did that.</summary>
    public Dictionary<EffectKey, MessagePosition> Cancelled { get; } = [];

    /// <summary>Effects that somebody wanted to be given up.</summary>
    public HashSet<EffectKey> MayBeGivenUp { get; } = [];

    /// <summary>Effects of which it was logged that they are given up.</summary>
    public HashSet<EffectKey> GivenUp { get; } = [];

    /// <summary>Receipts that the outside has given, by argument.</summary>
    public Dictionary<ulong, HashSet<ulong>> Receipts { get; } = [];

    /// <summary>Arguments that the outside has refused.</summary>
    public HashSet<ulong> Refused { get; } = [];

    /// <summary>Receipts that awaits got, by argument, and where.</summary>
    public Dictionary<ulong, (MessagePosition At, ulong Receipt)> Taken { get; } = [];

    /// <summary>Outcomes and notes that apps have sent and that were logged, by their bytes: not more of these than of those.</summary>
    public Dictionary<ulong, (int Sent, int Logged)> Impulses { get; } = [];

    /// <summary>What stands before the key in every id of an effect.</summary>
    public string Prefix { get; set; } = "";

    /// <summary>
    /// The first message that is known to have been taken out: what was asked for from there on may have happened in no history.
    /// </summary>
    public MessagePosition? FirstSkip { get; set; }

    /// <summary>Whether an effect of this key is sure to be the one that the newest history asks for.</summary>
    public bool IsCertain(EffectKey key) => FirstSkip is not { } skip || PlaceOf(key) < skip;

    /// <summary>Whether nothing is to come of it any more.</summary>
    public bool IsOver(EffectKey key) => Ended.ContainsKey(key) || Cancelled.ContainsKey(key) || GivenUp.Contains(key);

    /// <summary>The message whose turn asked for it.</summary>
    public static MessagePosition PlaceOf(EffectKey key) => new(key.Lsn, key.Index);
}
