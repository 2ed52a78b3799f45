using Ambrosia.Runtime;
using Ambrosia.Serialization;

namespace Ambrosia.CSharpBinding.Tests.Effects;

/// <summary>What the generator would make, written by hand.</summary>
public sealed class PayEffects : ImmortalEffects
{
    /// <summary>How an effect is tried again unless a test says otherwise.</summary>
    public static EffectPolicy Quick => EffectPolicy.Default with { FirstTicks = TimeSpan.TicksPerMillisecond };

    /// <summary>How an effect is tried again.</summary>
    public static EffectPolicy Policy { get; set; } = Quick;

    /// <summary>A build without the method.</summary>
    public static bool IsGone { get; set; }

    protected override EffectContract Contract => new(typeof(IPay), 100, IsGone ? [] : [Charge()]);

    public DurableTask<string> ChargeAsync(int amount)
    {
        OutgoingCall call = BeginEffect();
        Write(ref call, amount);
        return EndEffect<string, StringFormatter>(ref call, 1);
    }

    public void ChargeFork(int amount)
    {
        OutgoingCall call = BeginEffect();
        Write(ref call, amount);
        EndEffectFork(ref call, 1);
    }

    private static EffectMethod<IPay, string, StringFormatter> Charge() => new(1, "Charge", Decode) { Policy = Policy };

    private static void Write(ref OutgoingCall call, int amount)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(amount);
        call.Arguments.WriteArrayHeader(1);
        call.Arguments.WriteInt64(amount);
    }

    private static Func<IPay, EffectContext, Task<string>> Decode(ref MessagePackReader arguments)
    {
        arguments.ReadArrayHeader(1);
        int amount = arguments.ReadInt32();
        return (performer, effect) => performer.Charge(amount, effect);
    }
}
