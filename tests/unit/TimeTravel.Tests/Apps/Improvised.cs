using System.Globalization;
using Ambrosia.TimeTravel.Tests.Support;
using Microsoft.Extensions.DependencyInjection;

namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>
/// An app drawn by lot: what each message does is decided by a seed and by the state, out of everything that an immortal may do:
/// collections of all kinds, shared objects, awaits, timers, exceptions, log time, its random numbers and identifiers, forks to others. All
/// of it is deterministic.
/// </summary>
public sealed class Improvised : ImprovisedBase
{
    private readonly DurableDictionary<string, long> _byName = [];
    private readonly DurableSet<long> _numbers = [];
    private readonly Dictionary<long, List<string>> _texts = [];
    private readonly HashSet<string> _seen = [];
    private readonly List<(Guid Id, DateTimeOffset When)> _moments = [];
    private readonly List<List<string>> _shared = [];
    private readonly ulong _seed;
    private decimal _sum;
    private long _handled;

    public Improvised()
    {
    }

    public Improvised(int seed) => _seed = (ulong)seed;

    public override async DurableTask Begin(long number)
    {
        for (int step = 0; step < 1 + (int)(Draw(number) % 3); step++)
        {
            switch (Draw(number + step) % 8)
            {
                case 0:
                    long worked = await This.WorkAsync(number, "awaited");
                    _sum += worked;
                    break;
                case 1:
                    await Delay(TimeSpan.FromMilliseconds(1 + (Draw(number) % 3)));
                    _moments.Add((NewGuid(), LogTime));
                    break;
                case 2:
                    await TryAsync(number);
                    break;
                case 3:
                    await DurableTask.WhenAll(This.WorkAsync(number, "left"), This.WorkAsync(-number, "right"));
                    break;
                case 4:
                    Tell();
                    break;
                default:
                    Change(number);
                    break;
            }
        }
    }

    public override DurableTask<long> Work(long number, string text)
    {
        Change(number);
        _byName[text] = _handled;
        return _handled;
    }

    public override DurableTask Note(string text)
    {
        _seen.Add(text);
        return default;
    }

    public override DurableTask<long> Fail(string reason) => throw new InvalidOperationException(reason);

    protected override void BecomingPrimary(ImmortalContext context) => context.Services?.GetService<ImprovisedDoor>()?.Open(This);

    private async DurableTask TryAsync(long number)
    {
        try
        {
            await This.FailAsync(string.Create(CultureInfo.InvariantCulture, $"no {number}"));
        }
        catch (InvalidOperationException failure)
        {
            This.NoteFork(failure.Message);
        }
    }

    private void Change(long number)
    {
        _handled++;
        switch (Draw(_handled) % 6)
        {
            case 0:
                _numbers.Add(number % 50);
                _numbers.Remove((long)(Draw(number) % 50));
                break;
            case 1:
                (_texts.TryGetValue(number % 9, out List<string>? texts) ? texts : _texts[number % 9] = []).Add($"{_handled}");
                break;
            case 2 when _texts.Count > 0:
                _shared.Add(_texts[_texts.Keys.Min()]);
                break;
            case 3:
                _seen.Add($"{number % 20}");
                _seen.Remove($"{Draw(number) % 20}");
                break;
            case 4:
                _sum += (decimal)Random.NextDouble();
                break;
            default:
                _byName.Remove($"name {number % 7}");
                _byName[$"name {Draw(number) % 7}"] = number;
                break;
        }
    }

    private void Tell()
    {
        foreach ((string name, long value) in _byName)
        {
            Proxy<ImprovisedProxy>(value % 2 == 0 ? "even" : "odd").NoteFork(name);
        }

        foreach (long number in _numbers)
        {
            Proxy<ImprovisedProxy>(string.Create(CultureInfo.InvariantCulture, $"friend-{number % 3}")).NoteFork($"{_sum}");
        }
    }

    // SplitMix64: a fixed function of seed and number.
    private ulong Draw(long number)
    {
        ulong z = unchecked((_seed * 0x9E3779B97F4A7C15) + ((ulong)number * 0xBF58476D1CE4E5B9) + 0x94D049BB133111EB);
        z = unchecked((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9);
        z = unchecked((z ^ (z >> 27)) * 0x94D049BB133111EB);
        return z ^ (z >> 31);
    }
}
