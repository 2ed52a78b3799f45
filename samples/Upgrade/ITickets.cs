using Ambrosia;

namespace Upgrade;

/// <summary>The ticket office, whatever version of it serves.</summary>
[ImmortalInterface]
public interface ITickets
{
    /// <summary>Sells one; the answer is how many were sold so far.</summary>
    long Sell(string kind, int cents);

    /// <summary>Holds one for a while, then sells it.</summary>
    long Reserve(string kind, int cents);

    string Books();
}
