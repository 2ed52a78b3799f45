namespace Ambrosia.InProcess.Tests.Experiments;

/// <summary>One of many who bid for items at an auction.</summary>
[ImmortalInterface]
public interface IBidder
{
    /// <summary>Bids a number of times, for items and amounts of its own choice; returns how many bids were won.</summary>
    int BidAway(int bids, int items, int most);

    /// <summary>An item is this bidder's now.</summary>
    void Gain(int item);

    /// <summary>An item was sold on.</summary>
    void Lose(int item);
}
