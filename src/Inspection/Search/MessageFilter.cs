using Ambrosia.Inspection.Log;
using Ambrosia.Inspection.Text;

namespace Ambrosia.Inspection.Search;

/// <summary>Which messages a person wants to see.</summary>
/// <param name="Kinds">Kinds, as bits.</param>
/// <param name="Methods">Methods; null for all.</param>
/// <param name="Sender">Number of the sender; null for all.</param>
/// <param name="Search">Text in the arguments; null for any.</param>
public sealed record MessageFilter(int Kinds, HashSet<int>? Methods, int? Sender, TextSearch? Search)
{
    /// <summary>True when it lets everything pass.</summary>
    public bool IsOpen => Kinds == MessageKinds.All && Methods is null && Sender is null && Search is null;

    /// <summary>Whether a message passes.</summary>
    public bool Matches(in IndexedMessage message, long ordinal) =>
        (Kinds & (1 << (int)message.Kind)) != 0
        && (Sender is null || message.Sender == Sender)
        && (Methods is null || Methods.Contains(message.Method))
        && (Search is null || Search.Holds(ordinal));
}
