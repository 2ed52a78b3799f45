namespace Ambrosia.InProcess.Tests.Experiments;

/// <summary>Sells items to the first that offers more than was paid before.</summary>
[ImmortalInterface]
public interface IHouse
{
    /// <summary>True if the bidder has paid and owns the item now; the owner before gets the money.</summary>
    bool Bid(string bidder, int item, int amount);
}
