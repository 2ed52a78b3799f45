using Shop.Effects;
using Shop.Immortals;
using Shop.Web;

namespace Shop.Demonstration;

/// <summary>All that can be seen from outside once nothing moves any more.</summary>
internal sealed record Books
{
    /// <summary>The numbers that browsers were given, one for each order that somebody wanted.</summary>
    public required IReadOnlyList<int> Wanted { get; init; }

    public required IReadOnlyList<Order> Orders { get; init; }

    public required IReadOnlyList<Shelf> Shelves { get; init; }

    public required IReadOnlyList<Bill> Bills { get; init; }

    public required IReadOnlyList<Report> Reports { get; init; }

    public required IReadOnlyList<Letter> Letters { get; init; }

    /// <summary>The ids of all attempts to send a letter.</summary>
    public required IReadOnlyList<string> Attempts { get; init; }
}
