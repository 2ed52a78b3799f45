using System.Diagnostics;
using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>An immortal that uses everything the runtime offers.</summary>
public class Counter : CounterBase
{
    public int Total { get; private set; }

    public int FirstStarts { get; private set; }

    public List<int> Notes { get; } = [];

    private readonly DurableCompletion<int> _never = new();

    public CounterProxy? Peer { get; private set; }

    [NotSaved]
    private ImmortalContext? _context;

    [NotSaved]
    private Exception? _outside;

    /// <summary>A culture that writes 1,5, where a machine has one or not.</summary>
    public static CultureInfo Foreign { get; } = MakeForeign();

    /// <summary>What the constructor saw.</summary>
    public string Born { get; } = Spoken;

    /// <summary>What BecomingPrimary saw.</summary>
    public string? Outdoors => _outdoors;

    /// <summary>A number and the cultures' names, as the present culture has them.</summary>
    public static string Spoken =>
        $"{1.5} {ReferenceEquals(CultureInfo.CurrentCulture, Foreign)} {ReferenceEquals(CultureInfo.CurrentUICulture, Foreign)}";

    [NotSaved]
    private string? _outdoors;

    [NotSaved]
    private int _bias;

    /// <summary>Added to what it answers and says, and no part of its state: another one makes a replay differ.</summary>
    public int Bias { init => _bias = value; }

    public CounterProxy Self => This;

    public CounterProxy Other(string name) => Proxy<CounterProxy>(name);

    public ImmortalContext? Context => _context;

    public Exception? Outside => _outside;

    public override DurableTask<int> Add(int amount) => Total += amount + _bias;

    public override async DurableTask<int> AskPeer(string peer, int value)
    {
        Peer = Proxy<CounterProxy>(peer);
        int answer = await Peer.AddAsync(value);
        Total += answer;
        Peer.NoteFork(Total);
        return Total;
    }

    public override DurableTask Note(int value)
    {
        Notes.Add(value);
        return default;
    }

    public override async DurableTask Nap(int milliseconds)
    {
        await Delay(TimeSpan.FromMilliseconds(milliseconds));
        Proxy<CounterProxy>("sink").TextFork($"woke at {LogTime:O}");
    }

    public override async DurableTask Fail(string text)
    {
        if (text == "late")
        {
            await Delay(TimeSpan.Zero);
        }

        throw text switch
        {
            "odd" => new OddException(text),
            "memory" => Exhaustion(),
            "stack" => new InsufficientExecutionStackException(text),
            "interrupted" => new ThreadInterruptedException(text),
            "wrapped" => new InvalidOperationException(text, Exhaustion()),
            "gathered" => new AggregateException(text, new FormatException(), Exhaustion()),
            "type" => new TypeInitializationException("Tests.Table", Exhaustion()),
            _ => new InvalidOperationException(_bias == 0 ? text : $"{text} {_bias}"),
        };
    }

    public override async DurableTask<string> Speak(string how)
    {
        if (how == "change")
        {
            CultureInfo.CurrentCulture = CultureInfo.CurrentUICulture = Foreign;
            return Spoken;
        }

        if (how == "late")
        {
            await Delay(TimeSpan.Zero);
        }

        return Spoken;
    }

    public override DurableTask Spread(int first, int count)
    {
        for (int i = first; i < first + count; i++)
        {
            Proxy<CounterProxy>($"d{i}").NoteFork(i);
        }

        return default;
    }

    public override DurableTask<int> Swallow(string how)
    {
        return how switch { "own" => SwallowOwn(), "completion" => SwallowCompletion(), _ => SwallowResult() };
    }

    private async DurableTask<int> SwallowOwn()
    {
        try
        {
            await Fail("memory");
        }
        catch (OutOfMemoryException)
        {
            Total++;
        }

        return Total;
    }

    private DurableTask<int> SwallowCompletion()
    {
        try
        {
            _never.TrySetException(Exhaustion());
        }
        catch (OutOfMemoryException)
        {
            Total++;
        }

        return Total;
    }

    private async DurableTask<int> SwallowResult()
    {
        try
        {
            return await Exhausted();
        }
        catch (OutOfMemoryException)
        {
            return ++Total;
        }
    }

    private static CultureInfo MakeForeign()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = ",";
        return culture;
    }

    // The runtime's own, as an allocation throws it.
    private static OutOfMemoryException Exhaustion()
    {
        try
        {
            GC.KeepAlive(new byte[Array.MaxLength + 1L]);
        }
        catch (OutOfMemoryException error)
        {
            return error;
        }

        throw new UnreachableException();
    }

    private async DurableTask<int> Exhausted()
    {
        await Delay(TimeSpan.Zero);
        throw Exhaustion();
    }

    public override DurableTask Chance()
    {
        CounterProxy sink = Proxy<CounterProxy>("sink");
        sink.TextFork($"{Random.Next(1000)} {Random.NextInt64()} {NewGuid()} {NewGuid()} {LogTime:O} {Random.NextDouble():R}");
        Log.LogInformation("chance");
        return default;
    }

    public override DurableTask<int> Poke(int value) => value < 0 ? throw new InvalidOperationException("negative") : Total += value;

    public override DurableTask Chain(int count)
    {
        Total++;
        if (count > 1)
        {
            This.ChainFork(count - 1);
        }

        return default;
    }

    public override DurableTask<string> Forbidden(int which)
    {
        try
        {
            if (which == 0)
            {
                _ = This.PokeImpulse(1);
            }
            else if (which == 1)
            {
                _ = Proxy<CounterProxy>("not a name!");
            }

            return "allowed";
        }
        catch (Exception error) when (error is InvalidOperationException or ArgumentException)
        {
            return error.Message;
        }
    }

    public override async DurableTask<string> AskText(string peer, string text)
    {
        try
        {
            return await Proxy<CounterProxy>(peer).EchoAsync(text);
        }
        catch (ArgumentException known)
        {
            return $"known {known.GetType().Name}: {known.Message} / {((RemoteException)known.InnerException!).RemoteStackTrace}";
        }
        catch (RemoteException remote)
        {
            return $"remote {remote.RemoteType}: {remote.Message}";
        }
        catch (InvalidDataException undecodable)
        {
            return $"undecodable: {undecodable.Message}";
        }
    }

    public override async DurableTask<int> Race(string peer, int milliseconds)
    {
        try
        {
            return await Proxy<CounterProxy>(peer).AddAsync(1).WithTimeout(TimeSpan.FromMilliseconds(milliseconds));
        }
        catch (TimeoutException)
        {
            return -1;
        }
    }

    public override DurableTask<int> TotalOf(int factor) => LogTime.Year > 2000 ? Total * factor : -1;

    public override DurableTask<string> Misuse(string how)
    {
        switch (how)
        {
            case "send":
                Proxy<CounterProxy>("sink").NoteFork(1);
                break;
            case "wait":
                return MisuseByWaiting();
            case "draw":
                _ = NewGuid();
                break;
            case "write":
                Total++;
                break;
            case "speak":
                return Spoken;
            default:
                throw new InvalidOperationException(how);
        }

        return "done";
    }

    private async DurableTask<string> MisuseByWaiting()
    {
        await _never.Task;
        return "waited";
    }

    protected override DurableTask OnFirstStart()
    {
        FirstStarts++;
        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context)
    {
        _context = context;
        _outdoors = Spoken;
        try
        {
            This.NoteFork(1);
        }
        catch (InvalidOperationException error)
        {
            _outside = error;
        }
    }
}
