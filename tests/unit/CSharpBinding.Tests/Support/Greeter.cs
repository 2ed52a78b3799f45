using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Support;

/// <summary>What the generator makes of an interface with [Encoding(Json)], and an immortal of it, written by hand.</summary>
public sealed class Greeter : Immortal
{
    private static readonly ImmortalContract s_contract =
        new("Tests.IGreeter", "hash", [new(1, "Greet", "string Greet(string, int)", false)]) { Encoding = WireEncoding.Json };

    public List<string> Answers { get; } = [];

    public int Bare { get; private set; }

    public byte[] Bytes { get; private set; } = [];

    public Task RingAsync(string whom) => Proxy<GreeterProxy>(whom).SendImpulse([1, 2, 3], "bell");

    protected override ImmortalContract Contract => s_contract;

    protected override void Dispatch(ref IncomingCall call)
    {
        switch (call.MethodId)
        {
            case 1:
                MessagePackReader both = call.JsonArguments("name", "times");
                both.ReadArrayHeader(2);
                call.Complete<string, StringFormatter>(Greet(both.ReadString(), both.ReadInt32()));
                break;
            case 2:
                MessagePackReader bytes = call.JsonArguments("bytes");
                bytes.ReadArrayHeader(1);
                Bytes = bytes.ReadBinary().ToArray();
                call.Complete(default(DurableTask));
                break;
            case 3:
                call.JsonArguments().ReadArrayHeader(0);
                Bare++;
                call.Complete(default(DurableTask));
                break;
            default:
                call.JsonArguments().ReadArrayHeader(0);
                call.Complete(AskAsync());
                break;
        }
    }

    private static DurableTask<string> Greet(string name, int times) =>
        times > 0 ? string.Concat(Enumerable.Repeat(name, times)) : throw new InvalidOperationException("never");

    private async DurableTask AskAsync()
    {
        GreeterProxy other = Proxy<GreeterProxy>("other");
        other.SendFork([1, 2]);
        other.NothingFork();
        try
        {
            Answers.Add(await other.GreetAsync("ann", 2));
            Answers.Add(await other.GreetAsync("bob", 0));
        }
        catch (RemoteException error)
        {
            Answers.Add(error.RemoteType);
        }
    }
}
