using Ambrosia;

namespace WebPage;

/// <summary>Makes as many messages as one likes: forks to itself, and a call to the bakery, which is another one of its kind.</summary>
public sealed class Mill : MillBase
{
    /// <summary>A loaf that takes a day.</summary>
    public const string Sourdough = "sourdough";

    private readonly List<string> _loaves = [];
    private long _ground;

    public override async DurableTask<long> Grind(long first, int count, string label)
    {
        for (long number = first; number < first + count; number++)
        {
            This.FlourFork(number, label);
        }

        _loaves.Add(await Proxy<MillProxy>("bakery").BakeAsync(label));
        if (_loaves.Count > 3)
        {
            _loaves.RemoveAt(0);
        }

        return _ground;
    }

    public override DurableTask Flour(long number, string label)
    {
        _ground++;
        return default;
    }

    public override async DurableTask<string> Bake(string label)
    {
        if (label == Sourdough)
        {
            await Delay(TimeSpan.FromDays(1));
        }

        return $"bread of {label}";
    }

    public override DurableTask<long> Ground() => _ground;

    protected override void BecomingPrimary(ImmortalContext context) => MillDoor.Open(context, This);
}
