using Ambrosia.Testing;
using Xunit.Abstractions;

namespace Ambrosia.InProcess.Tests.Experiments;

/// <summary>
/// The experiments of MaceKen (Yoo et al., "Composable Reliability for Asynchronous Systems", USENIX ATC 2012), with injected deaths: an
/// auction with a bank and 32 clients in which money and items are conserved, and a graph algorithm all of whose processes die at once and
/// which still ends with the right answer.
/// </summary>
public sealed class ExperimentsTests(ITestOutputHelper output)
{
    private const int Bidders = 32;
    private const int Items = 20;
    private const int Purse = 200;
    private const int MostKills = 400;

    public static TheoryData<int> Seeds => [.. Enumerable.Range(1, Extent.Of(everyday: 1, full: 2, soak: 20))];

    [Theory]
    [MemberData(nameof(Seeds))]
    public async Task Thirty_two_bidders_a_house_and_a_bank_die_at_random_and_no_coin_and_no_item_is_lost_or_doubled(int seed)
    {
        var random = new Random(seed);
        await using ImmortalTestHost world = ImmortalTestHost.Start<Ledger>("ledger", new ImmortalTestOptions
            { Seed = seed, Patience = TimeSpan.FromHours(1), StepLimit = 50_000_000 });
        world.Add<House>("house");
        string[] bidders = [.. Enumerable.Range(0, Bidders).Select(static i => $"bidder{i}")];
        foreach (string bidder in bidders)
        {
            world.Add<Bidder>(bidder);
            await world.Call("ledger", (LedgerProxy l) => l.OpenAsync(bidder, Purse));
        }

        await world.Call("ledger", (LedgerProxy l) => l.OpenAsync("house", 0));
        TestCall<int>[] bidding = [.. bidders.Select(bidder => world.Call(bidder, (BidderProxy b) => b.BidAwayAsync(12, Items, 60)))];
        int[] kills = new int[4];
        // Bounded: who dies again and again in its recovery never gets anything done, and that would be nobody's mistake.
        while (kills.Sum() < MostKills && bidding.Any(static one => !one.IsCompleted) && await world.StepAsync(random.Next(200, 2000)) > 0)
        {
            var what = (Killed)random.Next(4);
            kills[(int)what]++;
            string[] victims = random.Next(3) == 0 ? ["house", "ledger"] : [bidders[random.Next(Bidders)], bidders[random.Next(Bidders)]];
            foreach (string victim in victims.Distinct())
            {
                await world.KillAsync(victim, what);
            }
        }

        int won = 0;
        foreach (TestCall<int> one in bidding)
        {
            won += await one;
        }

        await world.IdleAsync();
        House house = world.State<House>("house");
        Ledger ledger = world.State<Ledger>("ledger");
        output.WriteLine($"seed {seed}: {kills.Sum()} kills ({string.Join(", ", Enum.GetNames<Killed>().Zip(kills))}), {won} sales of "
            + $"{Bidders * 12} bids, {world.Steps} steps, {world.Elapsed} of virtual time");
        Assert.True(kills.Sum() >= 20 && won >= 20, "too little happened");
        Assert.Equal(won, house.Sales);
        Assert.Equal(Bidders * Purse, ledger.Total);
        Assert.True(ledger.Least >= 0);
        Assert.All(bidders, bidder => Assert.Empty(world.State<Bidder>(bidder).Violations));
        Assert.Equal(
            house.Owners.OrderBy(static pair => pair.Key).Select(static pair => $"{pair.Key} {pair.Value}"),
            bidders.SelectMany(bidder => world.State<Bidder>(bidder).Items.Select(item => (item, bidder))).OrderBy(static pair => pair.item)
            .Select(static pair => $"{pair.item} {pair.bidder}"));
    }

    [Theory]
    [InlineData(1, Killed.Process)]
    [InlineData(2, Killed.Host)]
    public async Task Shortest_paths_are_right_though_every_vertex_dies_at_once_again_and_again(int seed, Killed what)
    {
        int vertices = Extent.Of(everyday: 16, full: 32, soak: 32);
        var random = new Random(seed);
        List<(int From, int To, int Length)> edges = Draw(random, vertices);
        await using ImmortalTestHost world = ImmortalTestHost.Start<Vertex>("v0", new ImmortalTestOptions
            { Seed = seed, Patience = TimeSpan.FromHours(1), StepLimit = 50_000_000 });
        for (int i = 1; i < vertices; i++)
        {
            world.Add<Vertex>($"v{i}");
        }

        foreach ((int from, int to, int length) in edges)
        {
            await world.Call($"v{from}", (VertexProxy v) => v.LinkAsync($"v{to}", length));
        }

        await world.IdleAsync();
        await world.Call("v0", (VertexProxy v) => v.ReachAsync(0));
        int deaths = 0;
        for (bool more = true; more && deaths < 40 * vertices;)
        {
            int steps = random.Next(100, 1500) * vertices / 32;
            more = await world.StepAsync(steps) == steps && !await IsAtRestAsync(world, vertices, edges);
            for (int i = 0; i < vertices; i++)
            {
                await world.KillAsync($"v{i}", what, restart: false);
            }

            for (int i = 0; i < vertices; i++)
            {
                await world.StartAsync($"v{i}");
            }

            deaths += vertices;
        }

        await world.IdleAsync();
        int reached = Enumerable.Range(0, vertices).Sum(i => world.State<Vertex>($"v{i}").Reached);
        output.WriteLine($"seed {seed}: all {vertices} vertices killed {deaths / vertices} times ({what}), {edges.Count} edges, {reached} "
            + $"messages, {world.Steps} steps");
        Assert.True(deaths >= 3 * vertices, "too few deaths");
        Assert.Equal(Shortest(vertices, edges), Enumerable.Range(0, vertices).Select(i => world.State<Vertex>($"v{i}").Distance));
    }

    // No immortal knows that all is done; the test looks from outside, and only to stop killing.
    private static Task<bool> IsAtRestAsync(ImmortalTestHost world, int vertices, List<(int From, int To, int Length)> edges)
    {
        int[] right = Shortest(vertices, edges);
        try
        {
            return Task.FromResult(Enumerable.Range(0, vertices).All(i => world.State<Vertex>($"v{i}").Distance == right[i]));
        }
        catch (ImmortalTestException)
        {
            return Task.FromResult(false); // Somebody has not come back yet.
        }
    }

    private static List<(int From, int To, int Length)> Draw(Random random, int vertices)
    {
        var edges = new List<(int, int, int)>();
        for (int i = 1; i < vertices; i++)
        {
            edges.Add((random.Next(i), i, random.Next(1, 100))); // Everybody can be reached.
        }

        for (int i = 0; i < 4 * vertices; i++)
        {
            edges.Add((random.Next(vertices), random.Next(vertices), random.Next(1, 100)));
        }

        return edges;
    }

    /// <summary>Dijkstra, all in one place.</summary>
    private static int[] Shortest(int vertices, List<(int From, int To, int Length)> edges)
    {
        int[] distances = [.. Enumerable.Repeat(int.MaxValue, vertices)];
        distances[0] = 0;
        var queue = new PriorityQueue<int, int>([(0, 0)]);
        while (queue.TryDequeue(out int vertex, out int distance))
        {
            foreach ((_, int to, int length) in edges.Where(edge => edge.From == vertex && distance == distances[vertex]))
            {
                if (distance + length < distances[to])
                {
                    distances[to] = distance + length;
                    queue.Enqueue(to, distances[to]);
                }
            }
        }

        return distances;
    }
}
