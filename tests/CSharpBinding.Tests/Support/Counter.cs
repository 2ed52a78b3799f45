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

    public CounterProxy Self => This;

    public ImmortalContext? Context => _context;

    public Exception? Outside => _outside;

    public override DurableTask<int> Add(int amount) => Total += amount;

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

        throw text == "odd" ? new OddException(text) : new InvalidOperationException(text);
    }

    public override DurableTask Chance()
    {
        CounterProxy sink = Proxy<CounterProxy>("sink");
        sink.TextFork($"{Random.Next(1000)} {Random.NextInt64()} {NewGuid()} {NewGuid()} {LogTime:O} {Random.NextDouble():R}");
        Log.Equals(null);
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
