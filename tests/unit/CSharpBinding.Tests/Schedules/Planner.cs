using Ambrosia.CSharpBinding.Tests.Support;
using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Schedules;

/// <summary>What the generator would make and a user would write: a schedule that notes a number, and a saga that calls a peer.</summary>
internal sealed class Planner : Immortal
{
    private static readonly ImmortalContract s_contract = new("Tests.IPlanner", "hash",
        [new(1, "Plan", "void Plan(string)", false), new(3, "Note", "void Note(int)", false), new(4, "Undo", "void Undo()", false)]);

    /// <summary>What was noted, and for which occurrence.</summary>
    public List<string> Seen { get; } = [];

    public Schedule Schedule => Schedules[0];

    protected override ImmortalContract Contract => s_contract;

    protected override void Dispatch(ref IncomingCall call)
    {
        MessagePackReader arguments = call.Arguments;
        arguments.ReadArrayHeader();
        switch (call.MethodId)
        {
            case 1: call.Complete(Plan(arguments.ReadString())); break;
            case 3: call.Complete(Note(arguments.ReadInt32())); break;
            case 4: call.Complete(Undo()); break;
            default: call.UnknownMethod(); break;
        }
    }

    private DurableTask Plan(string expression)
    {
        SelfProxy<CounterProxy>().Every("nightly", expression).NoteFork(5);
        return default;
    }

    private DurableTask Note(int value)
    {
        Seen.Add($"{value} {Occurrence?.Due:HH:mm}");
        return default;
    }

    private async DurableTask Undo()
    {
        var saga = new DurableSaga("order 7");
        saga.Undo(Proxy<CounterProxy>("peer"), "give back").NoteFork(1);
        await saga.Compensate();
        Seen.Add("undone");
    }
}
