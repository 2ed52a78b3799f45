using Ambrosia.Runtime;

namespace Ambrosia.CSharpBinding.Tests.State;

public sealed class StateHashTests
{
    private sealed class App
    {
        public Dictionary<string, int> Map = [];
        public HashSet<int> Set = [];
        public DurableDictionary<string, string> Durable = [];
        public Exception? Last;
        public string? Text;
        public string? Same;
        public PendingCalls Calls = new();
    }

    [Fact]
    public void A_restored_state_has_the_hash_of_the_one_that_never_was()
    {
        App app = Build(400);
        App restored = (App)Graph.Load(Graph.Save(app))!;
        Assert.Equal(Hash(app), Hash(restored));
        Change(app);
        Change(restored);
        Assert.Equal(Hash(app), Hash(restored));
    }

    [Fact]
    public void Any_difference_of_content_shows()
    {
        App app = Build(50);
        byte[] before = Hash(app);
        app.Map["k1"]++;
        Assert.NotEqual(before, Hash(app));
        app.Map["k1"]--;
        Assert.Equal(before, Hash(app));
        string value = app.Durable["d1"];
        app.Durable.Remove("d1");
        app.Durable["d1"] = value; // The same entries in another order: they would be sent in another order.
        Assert.NotEqual(before, Hash(app));
    }

    [Fact]
    public void Whether_equal_strings_are_one_object_does_not_show()
    {
        string text = new('y', 200);
        Assert.Equal(Hash(new App { Text = text, Same = text }), Hash(new App { Text = text, Same = new string(text.AsSpan()) }));
    }

    [Fact]
    public void Whether_empty_arrays_are_one_object_does_not_show()
    {
        byte[] none = GC.AllocateUninitializedArray<byte>(0);
        object?[] shared = [none, none], apart = [none, GC.AllocateUninitializedArray<byte>(0)];
        Assert.NotSame(apart[0], apart[1]);
        Assert.Equal(StateHash.Compute(shared, Graph.Options()), StateHash.Compute(apart, Graph.Options()));
    }

    [Fact]
    public void Where_an_exception_was_thrown_does_not_show()
    {
        Exception thrown = Assert.Throws<InvalidOperationException>((Action)(() => throw new InvalidOperationException("x")));
        Assert.Equal(Hash(new App { Last = thrown }), Hash(new App { Last = new InvalidOperationException("x") }));
    }

    private static byte[] Hash(App app) => StateHash.Compute([app], Graph.Options());

    private static App Build(int size)
    {
        App app = new();
        for (int i = 0; i < size; i++)
        {
            app.Map[$"k{i}"] = i;
            app.Set.Add(i);
            app.Durable[$"d{i}"] = $"{i}";
            app.Calls.Add(new VoidPendingCall());
        }
        for (int i = 0; i < size; i += 3)
        {
            app.Map.Remove($"k{i}");
            app.Set.Remove(i);
            app.Durable.Remove($"d{i}");
            app.Calls.TryRemove(i + 1, out _);
        }
        return app;
    }

    // After removals a Dictionary puts new entries into the holes, a restored one at its end: only sorting hides that.
    private static void Change(App app)
    {
        for (int i = 0; i < 50; i++)
        {
            app.Map[$"new{i}"] = i;
            app.Set.Add(-i);
            app.Durable[$"new{i}"] = "";
            app.Calls.Add(new VoidPendingCall());
        }
    }
}
