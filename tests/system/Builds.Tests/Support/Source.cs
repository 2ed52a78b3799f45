namespace Ambrosia.Builds.Tests.Support;

/// <summary>The shop as it was built first; edits replace parts of it.</summary>
internal static class Source
{
    public const string Text = """
        namespace Shops;

        public enum Color { Red = 1, Green = 2 }
        public record Order(string Id, int Price);
        [Union(1, typeof(Card)), Union(2, typeof(Cash))]
        public abstract record Payment;
        public sealed record Card(string Number) : Payment;
        public sealed record Cash(string Note) : Payment;
        public sealed class Line { public string Text = ""; public int Count; }

        [ImmortalInterface]
        public interface IShop
        {
            [Impulse] void Add(int amount);
            [Impulse] void Place(Order order);
            [Impulse] void Paint(Color color);
            [Impulse] void Pay(Payment payment);
            [Impulse] int Count();
            [Impulse] void Wait(int minutes);
            [Impulse] void Save();
            [Impulse] void Say();
        }

        public abstract class Base : ShopBase
        {
        }

        public class Shop : Base
        {
            private int _count;
            private int _spare = 5;
            private string _note = "";
            private Color _color = Color.Red;
            private List<Line> _lines = new();

            public override DurableTask Add(int amount)
            {
                _count += Weigh(amount);
                return DurableTask.CompletedTask;
            }

            public override async DurableTask Place(Order order)
            {
                _lines.Add(new Line { Text = order.Id, Count = order.Price });
            }

            public override async DurableTask Paint(Color color)
            {
                _color = color;
            }

            public override async DurableTask Pay(Payment payment)
            {
                _note += payment is Card card ? "card " + card.Number : "cash " + ((Cash)payment).Note;
            }

            public override async DurableTask<int> Count()
            {
                return _count;
            }

            public override async DurableTask Wait(int minutes)
            {
                int before = _count;
                await Delay(TimeSpan.FromMinutes(minutes));
                _count = before;
            }

            public override async DurableTask Save()
            {
                TakeCheckpoint();
            }

            public override async DurableTask Say()
            {
                Door.Say($"count={_count} color={(int)_color} note={_note} lines={string.Join(',', _lines.Select(line => line.Text + line.Count))}");
            }

            protected override void BecomingPrimary(ImmortalContext context)
            {
                Door.Open(This);
            }

            private static int Weigh(int amount)
            {
                return amount;
            }
        }
        """;

    /// <summary>The source with parts replaced; each must be there.</summary>
    public static string With(params (string Old, string New)[] edits) => Replace(Text, edits);

    /// <summary>A source with parts replaced; each must be there.</summary>
    public static string Replace(string text, params (string Old, string New)[] edits)
    {
        foreach ((string old, string replacement) in edits)
        {
            Assert.True(text.Contains(old, StringComparison.Ordinal), old);
            text = text.Replace(old, replacement, StringComparison.Ordinal);
        }

        return text;
    }
}
