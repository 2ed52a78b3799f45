using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>An immortal that asks for effects.</summary>
public sealed class Payer : Immortal
{
    private static readonly ImmortalContract s_contract =
        new("Tests.IPayer", "hash", [new(1, "Pay", "void Pay(int)", true), new(4, "Count", "int Count()", false, true, 0)]);

    /// <summary>What a build asks for instead.</summary>
    public static int Surcharge { get; set; }

    public List<string> Seen { get; } = [];

    [NotSaved]
    private Exception? _outside;

    [NotSaved]
    private int? _begunInTurn;

    /// <summary>Effects that had begun when the turn that kills was about to; null if there was none.</summary>
    public int? BegunInTurn => _begunInTurn;

    /// <summary>What asking in BecomingPrimary came to.</summary>
    public Exception? Outside => _outside;

    protected override ImmortalContract Contract => s_contract;

    protected override void BecomingPrimary(ImmortalContext context) => _outside = Record.Exception(() => new PayEffects().ChargeFork(1));

    protected override void Dispatch(ref IncomingCall call)
    {
        MessagePackReader arguments = call.Arguments;
        arguments.ReadArrayHeader();
        switch (call.MethodId)
        {
            case 1: call.Complete(Pay(arguments.ReadInt32())); break;
            case 2: call.Complete(Fork(arguments.ReadInt32())); break;
            case 3: call.Complete(PayAndDie(arguments.ReadInt32())); break;
            case 4: call.Complete<int, Int32Formatter>(Ask()); break;
            default: call.UnknownMethod(); break;
        }
    }

    private async DurableTask Pay(int amount)
    {
        try
        {
            Seen.Add(await Effects<PayEffects>().ChargeAsync(amount + Surcharge));
        }
        catch (Exception error)
        {
            Seen.Add(error.GetType().Name);
        }
    }

    private DurableTask Fork(int count)
    {
        for (int i = 0; i < count; i++)
        {
            Effects<PayEffects>().ChargeFork(i);
        }

        return default;
    }

    private DurableTask PayAndDie(int amount)
    {
        Effects<PayEffects>().ChargeFork(amount);
        _begunInTurn = Runtime.EffectsBegun;
        throw new InsufficientExecutionStackException("the process ends in this turn");
    }

    private static DurableTask<int> Ask()
    {
        new PayEffects().ChargeFork(1);
        return new(1);
    }
}
