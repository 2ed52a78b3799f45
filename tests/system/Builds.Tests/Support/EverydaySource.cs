namespace Ambrosia.Builds.Tests.Support;

/// <summary>
/// A shop that uses what an ordinary program uses: texts in resources, JSON, delegates, records as keys, immutable collections.
/// </summary>
internal static class EverydaySource
{
    public const string Library = """
        namespace Shops.Library;

        public static class Rates
        {
            public static int Off(int price, int percent = 10) => price * percent / 100;
            public static T Best<T>(IEnumerable<T> all) where T : IComparable<T> => all.Max()!;
            public static bool IsOdd(this int number) => number % 2 == 1;
        }
        """;

    public const string Text = """
        using System.Collections.Immutable;
        using System.Text.Json;
        using System.Text.Json.Serialization;
        using Shops.Library;
        namespace Shops;

        public enum Size { Small = 1, Big = 2 }
        public sealed record Key(string Text);
        public sealed class Memo { public string Text { get; set; } = ""; public int Priority { get; set; } }
        public record Label(string Text);
        public sealed class Parcel { public string Name { get; set; } = ""; public int Weight { get; set; } }
        public sealed class Shelf { private readonly int _width; public Shelf(int width) { _width = width; } public int Width => _width; }
        public class Loose : IEqualityComparer<string>
        {
            public bool Equals(string? x, string? y) => string.Equals(x, y, StringComparison.Ordinal);
            public int GetHashCode(string text) => text.Length;
        }

        [ImmortalInterface]
        public interface IOther { void Note(int number); }

        [ImmortalInterface]
        public interface IShop
        {
            [Impulse] void Greet();
            [Impulse] void Remember(string text);
            [Impulse] void Count(string key);
            [Impulse] void Rule(int number);
            [Impulse] void Print(string text);
            [Impulse] void Discount(int price);
            [Impulse] void Send(Parcel parcel);
            [Impulse] void Measure(Size size);
            [Impulse] void Tell(int number);
            [Impulse] void Save();
            [Impulse] void Say();
        }

        public abstract class Base : ShopBase
        {
            protected int Margin(int price) => price + 1;
        }

        public class Shop : Base
        {
            private static readonly System.Resources.ResourceManager s_texts = new("Texts", typeof(Shop).Assembly);
            private static readonly int s_limit = 1000;
            private string _greeting = "";
            private string _memos = "";
            private string _labels = "";
            private HashSet<Key> _keys = new();
            private int _rules;
            private Func<int, int> _rule = Twice;
            private List<Func<int, int>> _rules2 = new() { number => Thrice(number) };
            private ImmutableDictionary<string, int> _names = ImmutableDictionary.Create<string, int>(new Loose());
            private Shelf _shelf = new(3);
            private Size _size = Size.Small;
            private string? _sent;
            private int _price;

            private static int Twice(int number) => 2 * number;
            private static int Thrice(int number) => 3 * number;

            public override async DurableTask Greet() { _greeting += s_texts.GetString("Greeting"); }

            public override async DurableTask Remember(string text) { _memos += JsonSerializer.Serialize(new Memo { Text = text }); }

            public override async DurableTask Count(string key)
            {
                _keys.Add(new Key(key));
                _names = _names.SetItem(key, key.Length);
            }

            public override async DurableTask Rule(int number) { _rules += _rule(number) + _rules2.Sum(rule => rule(number)); }

            public override async DurableTask Print(string text) { _labels += $"{new Label(text)}"; }

            public override async DurableTask Discount(int price)
            {
                _price += Math.Min(s_limit, Margin(price) - Rates.Off(price)) + Rates.Best(new[] { 1, 2 }) + (price.IsOdd() ? 1 : 0);
            }

            public override async DurableTask Send(Parcel parcel) { _sent += parcel.Name + parcel.Weight; }

            public override async DurableTask Measure(Size size) { _size = size; }

            public override async DurableTask Tell(int number) { Proxy<OtherProxy>("other").NoteFork(number); }

            public override async DurableTask Save() { TakeCheckpoint(); }

            public override async DurableTask Say()
            {
                Door.Say($"greeting={_greeting} memos={_memos} labels={_labels} keys={_keys.Count} names={_names.Count} rules={_rules} "
                    + $"shelf={_shelf.Width} size={(int)_size} sent={_sent} price={_price}.");
            }

            protected override void BecomingPrimary(ImmortalContext context) { Door.Open(This); }
        }
        """;
}
