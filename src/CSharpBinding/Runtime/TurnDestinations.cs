using System.Runtime.CompilerServices;
using Ambrosia.Link;
using Ambrosia.Protocol;

namespace Ambrosia.Runtime;

/// <summary>The numbers that stand for destinations in what turns send. A new one is announced in the page, before the first message that
/// uses it.</summary>
internal sealed class TurnDestinations(OutgoingPage page)
{
    private readonly DestinationIndexes _indexes = DestinationIndexes.OfTurns();

    /// <summary>The destination's number. Asked for before its message is begun: an announcement drops an open one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public int IndexOf(Destination destination) => destination.TurnIndex >= 0 ? destination.TurnIndex : Announce(destination);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int Announce(Destination destination)
    {
        int index = _indexes.Take(destination, out Destination? former);
        if (former is not null)
        {
            former.TurnIndex = Destination.NoIndex;
        }

        Span<byte> data = stackalloc byte[Destination.LargestAnnouncement];
        page.WriteControl(BindingMessageType.Destination, data[..destination.WriteAnnouncement(data, index)]);
        destination.TurnIndex = index; // Not before: a turn that is too large throws there, and the number would never be announced.
        return index;
    }
}
