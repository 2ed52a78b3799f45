namespace Ambrosia.DurableScenarios;

/// <summary>Random programs over the collections: what they send, and in which order, must not depend on whether the state was ever
/// saved.</summary>
public sealed partial class Scenarios
{
    public DurableDictionary<string, int> Stock = [];
    public DurableSet<string> Names = [];
    public SortedDictionary<string, List<int>> Sorted = [];
    public ulong Dice;

    public DurableTask<string> Random1() => RandomApp(1);

    public DurableTask<string> Random2() => RandomApp(2);

    public DurableTask<string> Random3() => RandomApp(3);

    public DurableTask<string> Random4() => RandomApp(4);

    public DurableTask<string> Random5() => RandomApp(5);

    public DurableTask<string> Random6() => RandomApp(6);

    private async DurableTask<string> RandomApp(uint seed)
    {
        Dice = seed * 0x9E3779B97F4A7C15UL;
        List<DurableTask> handlers = [];
        for (int i = 0; i < 6; i++)
        {
            handlers.Add(Handler(i));
        }
        await DurableTask.WhenAll(handlers);
        return string.Join(",", Stock.Select(pair => $"{pair.Key}{pair.Value}")) + string.Join(",", Names);
    }

    private async DurableTask Handler(int id)
    {
        for (int step = 0; step < 5; step++)
        {
            string name = $"n{Roll(8)}";
            switch (Roll(6))
            {
                case 0:
                    Stock[name] = Stock.GetValueOrDefault(name) + await Ask(id);
                    break;
                case 1:
                    Stock.Remove(name);
                    Names.Remove($"n{Roll(8)}");
                    break;
                case 2:
                    foreach ((string key, int value) in Stock)
                    {
                        if (Roll(3) == 0)
                        {
                            T($"{id} sends {key} {await Ask(value)}");
                        }
                    }
                    break;
                case 3:
                    Names.Add(await Say(name));
                    Names.Add(name);
                    break;
                case 4:
                    DurableTask<int> winner = await DurableTask.WhenAny(Ask(id), Ask(step), Inner(id));
                    T($"{id} {await winner}");
                    break;
                default:
                    if (!Sorted.TryGetValue(name, out List<int>? list))
                    {
                        list = Sorted[name] = [];
                    }
                    list.Add(await Ask(step));
                    T($"{id} {name} {list.Count} {ReferenceEquals(list, Sorted[name])}");
                    break;
            }
        }
    }

    private int Roll(int sides)
    {
        Dice ^= Dice << 13;
        Dice ^= Dice >> 7;
        Dice ^= Dice << 17;
        return (int)(Dice % (ulong)sides);
    }
}
