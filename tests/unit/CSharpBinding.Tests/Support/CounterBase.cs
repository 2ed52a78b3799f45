using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Serialization;


namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>What the generator would make of the interface of <see cref="Counter"/>, written by hand.</summary>
public abstract class CounterBase : Immortal
{
    private static readonly ImmortalContract s_contract = new("Tests.ICounter", "hash", 
    [
        new(1, "Add", "int Add(int)", true), new(7, "Poke", "int Poke(int)", true),
        new(12, "TotalOf", "int TotalOf(int)", false, true, 1), new(13, "Misuse", "string Misuse(string)", false, true, 1),
    ])
    {
        Shapes = "{\"interface\":\"Tests.ICounter\"}",
    };

    protected CounterProxy This => SelfProxy<CounterProxy>();

    protected override ImmortalContract Contract => s_contract;

    public abstract DurableTask<int> Add(int amount);

    public abstract DurableTask<int> AskPeer(string peer, int value);

    public abstract DurableTask Note(int value);

    public abstract DurableTask Nap(int milliseconds);

    public abstract DurableTask Fail(string text);

    public abstract DurableTask Chance();

    public abstract DurableTask<int> Poke(int value);

    public abstract DurableTask Chain(int count);

    public abstract DurableTask<string> Forbidden(int which);

    public abstract DurableTask<string> AskText(string peer, string text);

    public abstract DurableTask<int> Race(string peer, int milliseconds);

    public abstract DurableTask<int> TotalOf(int factor);

    public abstract DurableTask<string> Misuse(string how);

    public abstract DurableTask<string> Speak(string how);

    public abstract DurableTask Spread(int first, int count);

    public abstract DurableTask<int> Swallow(string how);

    protected override void Dispatch(ref IncomingCall call)
    {
        MessagePackReader args = call.Arguments;
        int count = args.ReadArrayHeader();
        switch (call.MethodId)
        {
            case 1: call.Complete<int, Int32Formatter>(Add(args.ReadInt32())); break;
            case 2: call.Complete<int, Int32Formatter>(AskPeer(args.ReadString(), args.ReadInt32())); break;
            case 3: call.Complete(Note(args.ReadInt32())); break;
            case 4: call.Complete(Nap(args.ReadInt32())); break;
            case 5: call.Complete(Fail(args.ReadString())); break;
            case 6: call.Complete(Chance()); break;
            case 7: call.Complete<int, Int32Formatter>(Poke(args.ReadInt32())); break;
            case 8: call.Complete(Chain(args.ReadInt32())); break;
            case 9: call.Complete<string, StringFormatter>(Forbidden(args.ReadInt32())); break;
            case 10: call.Complete<string, StringFormatter>(AskText(args.ReadString(), args.ReadString())); break;
            case 11: call.Complete<int, Int32Formatter>(Race(args.ReadString(), args.ReadInt32())); break;
            case 12: call.Complete<int, Int32Formatter>(TotalOf(args.ReadInt32())); break;
            case 13: call.Complete<string, StringFormatter>(Misuse(args.ReadString())); break;
            case 14: call.Complete<int, Int32Formatter>(Swallow(args.ReadString())); break;
            case 15: call.Complete(Spread(args.ReadInt32(), args.ReadInt32())); break;
            case 16: call.Complete<string, StringFormatter>(Speak(args.ReadString())); break;
            default: call.UnknownMethod(); break;
        }

        _ = count;
    }
}
