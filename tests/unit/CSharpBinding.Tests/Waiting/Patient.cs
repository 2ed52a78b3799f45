using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Waiting;

/// <summary>Waits for calls, awakeables and timers, as it is told.</summary>
internal sealed class Patient : Immortal
{
    private static readonly ImmortalContract s_contract = new("Tests.IPatient", "hash",
        [new(1, "Visit", "int Visit()", false), new(2, "Crowd", "void Crowd(int)", false), new(3, "Sign", "void Sign()", false),
            new(4, "Rest", "void Rest()", false)]);

    protected override ImmortalContract Contract => s_contract;

    protected override void Dispatch(ref IncomingCall call)
    {
        switch (call.MethodId)
        {
            case 1:
                call.Complete(Visit());
                break;
            case 2:
                MessagePackReader reader = call.Arguments;
                reader.ReadArrayHeader(1);
                Crowd(reader.ReadInt32());
                call.Complete(default(DurableTask));
                break;
            case 3:
                call.Complete(Sign());
                break;
            case 4:
                call.Complete(Rest());
                break;
            default:
                call.UnknownMethod();
                break;
        }
    }

    private async DurableTask Visit() => await Ask();

    private async DurableTask<int> Ask()
    {
        int sum = await Proxy<CounterProxy>("bank").AddAsync(5); // Its method 1 is called Visit here.
        await Proxy<CounterProxy>("mirror").EchoAsync("so");
        return sum;
    }

    private void Crowd(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _ = Proxy<CounterProxy>("crowd").NoteAsync(i);
            _ = Awakeable<string>();
            _ = Delay(TimeSpan.FromDays(1));
        }
    }

    private async DurableTask Sign()
    {
        Awakeable<string> signature = Awakeable<string>(TimeSpan.FromHours(1));
        await signature;
    }

    private async DurableTask Rest() => await Delay(TimeSpan.FromMinutes(5));
}
