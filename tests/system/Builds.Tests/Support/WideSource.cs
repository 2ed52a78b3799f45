namespace Ambrosia.Builds.Tests.Support;

/// <summary>A shop whose handlers reach other code in as many ways as C# has, and a library that it refers to.</summary>
internal static class WideSource
{
    public const string Library = """
        namespace Shops.Library;

        public static class Prices
        {
            public const int Fee = 1;
            public static readonly int Base = 10;
            private static readonly int[] s_steps = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
            public static int Of(this string name) => name.Length + s_steps[0];
        }

        public abstract class Rule
        {
            public int Apply(int value) => Change(value) + 1;
            protected virtual int Change(int value) => value;
        }
        """;

    public const string Text = """
        using Shops.Library;
        namespace Shops;

        public enum Grade { Low = 1, High = 2 }
        public sealed class Box<T>
        {
            public enum Size { Small = 1, Big = 2 }
            public Size Measure;
            public T? Content;
        }
        public record Key(string Text);
        public record Item(string Name, int Price)
        {
            public int Price { get; init; } = Price * 2;
        }
        public static class Taxes { public static int Of(int price) => price + 1; }
        public class Parcel { public int Weight { get; set; } public int Depth { get; set; } }
        public class Outer { public record Inner(int Number); }
        public class Wrapper<T> { public record Part(T Value); }
        public record Answer(int First, int Second);

        public interface ICoupon
        {
            int Off(int price);
            int Twice(int price) => 2 * Off(price);
        }
        public sealed class Fixed : ICoupon { public int Off(int price) => 1; }
        public interface IShape<TSelf> where TSelf : IShape<TSelf> { static abstract int Corners(); }
        public sealed class Square : IShape<Square> { public static int Corners() => 4; }
        public class ByText : IComparer<string>
        {
            public virtual int Compare(string? x, string? y) => string.CompareOrdinal(x, y);
        }
        public sealed class Doubled : Rule { protected override int Change(int value) => 2 * value; }
        public sealed class ByLength : IComparer<string>
        {
            public int Compare(string? x, string? y) => x!.Length - y!.Length;
        }

        [ImmortalInterface]
        public interface IShop
        {
            [Impulse] void Order(string name);
            [Impulse] void Send(Parcel parcel);
            [Impulse] void Put(Item item);
            [Impulse] void Odd((int A, int B) pair, int? maybe, List<int?> list, Outer.Inner inner, string[]? texts,
                Dictionary<string, List<int>> map, Wrapper<int>.Part part, int[][] jagged, List<(int, Grade)> pairs);
            [Impulse] void Arrange();
            [Impulse] void Shape();
            [Impulse] void Coupon(int price);
            [Impulse] void Rate();
            [Impulse] void Name(Grade grade);
            Answer Ask(int number);
            [Impulse] void Asks(int number);
            [Impulse] void Save();
            [Impulse] void Say();
        }

        public abstract class Base : ShopBase
        {
            private int _code = 7;
            protected string Codes() => $"{_code}";
            protected void Recode(int code) { _code = code; }
        }

        public class Shop : Base
        {
            private int _sum;
            private int _weight;
            private Answer? _answer;
            private Func<int, int> _tax = price => Taxes.Of(price);
            [NotSaved] private int Cached { get; } = 2;
            private string _odd = "";
            private HashSet<Key> _keys = new();
            private List<string> _names = new();
            private Box<int> _box = new() { Measure = Box<int>.Size.Small };
            private DateOnly _day = new(2024, 2, 3);
            private ICoupon _coupon = new Fixed();
            private IComparer<string> _order = new ByText();
            private SortedSet<string> _sorted = new(new ByLength());
            [NotSaved] private int _rate = 3;
            [NotSaved] private int _restored = 1;

            protected override void OnRestore(System.Buffers.ReadOnlySequence<byte> saved) { _restored = 0 + 1; }

            public override async DurableTask Order(string name)
            {
                _names.Add(name);
                _keys.Add(new Key(name));
                _sorted.Add(name);
                _box.Measure = Box<int>.Size.Big;
                Recode(8);
                int Fee(int of) => of + Prices.Fee;
                Func<int, int> more = value => value + 100;
                _sum += Fee(name.Of()) + Prices.Base + more(1) + new Doubled().Apply(3);
            }

            public override async DurableTask Send(Parcel parcel) { _weight += parcel.Weight; }

            public override async DurableTask Put(Item item) { _sum += item.Price; }

            public override async DurableTask Odd((int A, int B) pair, int? maybe, List<int?> list, Outer.Inner inner, string[]? texts,
                Dictionary<string, List<int>> map, Wrapper<int>.Part part, int[][] jagged, List<(int, Grade)> pairs)
            {
                _odd += "odd";
            }

            public override async DurableTask Arrange() { _names.Sort(_order); }

            public override async DurableTask Shape() { _sum += CornersOf<Square>(); }

            public override async DurableTask Coupon(int price) { _sum += _coupon.Twice(price); }

            public override async DurableTask Rate() { _sum += _rate + _restored + Cached + _tax(1); }

            public override async DurableTask Name(Grade grade)
            {
                _odd += grade switch { Grade.Low => "low", Grade.High => "high", _ => "none" };
            }

            public override async DurableTask<Answer> Ask(int number) { return new Answer(number, number + 1); }

            public override async DurableTask Asks(int number) { _answer = await This.AskAsync(number); _sum += _answer.Second; }

            public override async DurableTask Save() { TakeCheckpoint(); }

            public override async DurableTask Say()
            {
                Door.Say($"sum={_sum} weight={_weight} odd={_odd} keys={_keys.Count} names={string.Join(',', _names)} box={(int)_box.Measure} "
                    + $"day={_day:yyyy-MM-dd} code={Codes()} sorted={string.Join(',', _sorted)}.");
            }

            protected override void BecomingPrimary(ImmortalContext context) { Door.Open(This); }

            private static int CornersOf<T>() where T : IShape<T> => T.Corners();
        }
        """;
}
