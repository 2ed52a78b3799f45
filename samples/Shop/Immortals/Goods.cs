namespace Shop.Immortals;

/// <summary>What the shop sells.</summary>
public static class Goods
{
    /// <summary>Everything, in the order of the page.</summary>
    public static IReadOnlyList<Good> All { get; } = [new("tea", 4.50m, 12), new("cup", 9, 6), new("piano", 900, 2)];

    /// <summary>One by its name; null if nobody sells it.</summary>
    public static Good? Find(string item)
    {
        foreach (Good good in All)
        {
            if (good.Item == item)
            {
                return good;
            }
        }

        return null;
    }
}
