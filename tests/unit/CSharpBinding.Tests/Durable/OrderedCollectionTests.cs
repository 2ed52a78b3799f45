using Ambrosia.CSharpBinding.Tests.State;

namespace Ambrosia.CSharpBinding.Tests.Durable;

/// <summary>The insertion-ordered collections against the simplest model there is: a list searched from the front.</summary>
public sealed class OrderedCollectionTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void A_dictionary_behaves_as_a_list_of_pairs_in_the_order_of_insertion_whatever_is_saved_in_between(int seed)
    {
        Random random = new(seed);
        DurableDictionary<int, int> map = [];
        List<KeyValuePair<int, int>> model = [];
        for (int step = 0; step < 4000; step++)
        {
            int key = random.Next(60);
            int at = model.FindIndex(pair => pair.Key == key);
            switch (random.Next(10))
            {
                case < 4:
                    map[key] = step;
                    Put(model, at, key, step);
                    break;
                case < 8:
                    Assert.Equal(at >= 0, map.Remove(key, out int removed));
                    if (at >= 0)
                    {
                        Assert.Equal(model[at].Value, removed);
                        model.RemoveAt(at);
                    }
                    break;
                case 8:
                    Assert.Equal(at < 0, map.TryAdd(key, step));
                    Put(model, at, key, at < 0 ? step : model[at].Value);
                    break;
                default:
                    Assert.Equal(at >= 0, map.TryGetValue(key, out int value));
                    Assert.Equal(at >= 0 ? model[at].Value : 0, value);
                    break;
            }
            if (step % 500 == 499)
            {
                map = Graph.Copy(map);
            }
            if (step % 1777 == 1776)
            {
                map.Clear();
                model.Clear();
            }
            Assert.Equal(model.Count, map.Count);
            Assert.Equal(model, map);
        }
        Assert.Equal(model.Select(pair => pair.Key), map.Keys);
        Assert.Equal(model.Select(pair => pair.Value), map.Values);
    }

    [Theory]
    [InlineData(11)]
    [InlineData(12)]
    [InlineData(13)]
    public void An_enumeration_goes_on_over_changes_and_restores_visiting_what_was_added_and_not_what_was_removed(int seed)
    {
        Random random = new(seed);
        for (int round = 0; round < 40; round++)
        {
            Holder holder = new() { Set = [.. Enumerable.Range(0, random.Next(1, 40))] };
            List<int> model = [.. holder.Set];
            List<int> seen = [];
            List<int> expected = [];
            int next = 1000;
            holder.Place = holder.Set.GetEnumerator();
            int position = 0;
            while (holder.Place.MoveNext())
            {
                seen.Add(holder.Place.Current);
                expected.Add(model[position++]);
                for (int change = random.Next(4); change > 0 && next < 1030; change--)
                {
                    int victim = random.Next(40);
                    int at = model.IndexOf(victim);
                    Assert.Equal(at >= 0, holder.Set.Remove(victim));
                    if (at >= 0)
                    {
                        model.RemoveAt(at);
                        position -= at < position ? 1 : 0;
                    }
                    holder.Set.Add(next);
                    model.Add(next++);
                }
                if (random.Next(5) == 0)
                {
                    holder = Graph.Copy(holder);
                }
            }
            Assert.Equal(expected, seen);
            Assert.Equal(model.Count, position);
        }
    }

    [Fact]
    public void Collection_expressions_and_initializers_work()
    {
        DurableDictionary<string, int> empty = [];
        DurableSet<int> set = [1, 2, 2, 1];
        DurableList<int> list = [1, 2];
        DurableDictionary<string, int> map = new() { ["a"] = 1 };
        Assert.Empty(empty);
        Assert.Equal([1, 2], set);
        Assert.Equal([1, 2], list);
        Assert.Equal(1, map.GetValueOrDefault("a"));
        Assert.Equal(0, map.GetValueOrDefault("b"));
        Assert.Throws<KeyNotFoundException>(() => map["b"]);
        Assert.Throws<ArgumentException>(() => map.Add("a", 2));
    }

    private static void Put(List<KeyValuePair<int, int>> model, int at, int key, int value)
    {
        if (at >= 0)
        {
            model[at] = new(key, value);
        }
        else
        {
            model.Add(new(key, value));
        }
    }

    private sealed class Holder
    {
        public DurableSet<int> Set = [];
        public DurableSet<int>.Enumerator Place;
    }
}
