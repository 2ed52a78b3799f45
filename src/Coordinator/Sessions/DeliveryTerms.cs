using Ambrosia.Coordinator.Delivery;
using Ambrosia.Coordinator.State;
using Ambrosia.LogStore;
using Ambrosia.Protocol;

namespace Ambrosia.Coordinator.Sessions;

/// <summary>What a session asks of the delivery to its app.</summary>
/// <param name="HasDone">Whether the app has reported the end of a message's turn.</param>
/// <param name="Unreported">Told of each record that the app will not report: it holds nothing for it, or the app reports none.</param>
/// <param name="Limit">The limits under which records were executed first.</param>
/// <param name="Awakeables">By what awakeables were named then.</param>
internal sealed record DeliveryTerms(
    Func<MessagePosition, bool> HasDone, Action<Lsn> Unreported, StreamedLimit Limit, StreamedKey Awakeables)
{
    /// <summary>The records of this range are sent message by message, each behind the end of the one before; null: none.</summary>
    public Suspect? Steps { get; init; }

    /// <summary>What the app says of its build; null if it says nothing.</summary>
    public BuildChange? Builds { get; init; }
}
