using System.Buffers.Binary;

namespace Ambrosia.Simulation.Tests;

/// <summary>
/// The world outside of a simulated cluster, as one app reaches it. It takes its time, fails, and its caller may die of it.
/// </summary>
/// <param name="plan">What goes wrong.</param>
/// <param name="life">The app.</param>
/// <param name="largest">Bytes of the largest message; null if nobody knows.</param>
/// <param name="die">Ends the app's process.</param>
internal sealed class SimOutside(EffectPlan plan, AppLife life, int? largest, Action die) : IOutside
{
    private const int NumberSize = 8;
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(5);

    private SimOracle Oracle => life.Listener;

    public async Task<byte[]> Pay(ulong id, EffectContext effect)
    {
        byte[] receipt = new byte[largest is { } bytes && plan.IsTooLarge(id) ? bytes + 1 : NumberSize];
        ulong number = await PerformAsync(nameof(Pay), id, effect);
        BinaryPrimitives.WriteUInt64LittleEndian(receipt, number);
        return receipt;
    }

    public Task Mail(ulong id, EffectContext effect) => PerformAsync(nameof(Mail), id, effect);

    public Task<ulong> Ship(ulong id, EffectContext effect) => PerformAsync(nameof(Ship), id, effect);

    /// <summary>The number of a receipt.</summary>
    public static ulong NumberOf(ReadOnlySpan<byte> receipt) => BinaryPrimitives.ReadUInt64LittleEndian(receipt);

    private async Task<ulong> PerformAsync(string method, ulong id, EffectContext effect)
    {
        Oracle.Effects.Called(life, method, id, effect);
        if (plan.Kills(id))
        {
            Oracle.Sometimes(Sighting.EffectKilled);
            await DieAsync();
        }

        OutsideFault fault = plan.DrawFault();
        await TakeTimeAsync(plan.DrawTime(), effect);
        switch (fault)
        {
            case OutsideFault.FailBefore:
                throw new IOException("The outside is busy.");
            case OutsideFault.Hang:
                await Task.Delay(s_tooLong, effect.Time); // It does not listen.
                throw new IOException("The outside is late.");
            case OutsideFault.DieBefore:
                await DieAsync();
                break;
            default:
                break;
        }

        if (plan.IsRefused(id))
        {
            Oracle.Effects.Refused(life.Instance, id);
            throw new RefusedException($"{id}");
        }

        ulong number = Oracle.Effects.Performed(life.Instance, id, effect.Id);
        await TakeTimeAsync(plan.DrawTime(), effect);
        switch (fault)
        {
            case OutsideFault.FailAfter:
                throw new IOException("The outside did not answer.");
            case OutsideFault.Repeat:
                return Oracle.Effects.Performed(life.Instance, id, effect.Id);
            case OutsideFault.HangAfter:
                await Task.Delay(s_tooLong, effect.Time);
                break;
            case OutsideFault.LoseOutcomeAndCoordinator:
                life.CoordinatorLife.Kill();
                await DieAsync();
                break;
            case OutsideFault.LoseOutcome:
                await DieAsync();
                break;
            default:
                break;
        }

        return number;
    }

    private static async Task TakeTimeAsync(TimeSpan time, EffectContext effect)
    {
        if (time > TimeSpan.Zero)
        {
            await Task.Delay(time, effect.Time, effect.Cancellation);
        }
    }

    // Nothing of a dead process goes on.
    private Task DieAsync()
    {
        die();
        return new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously).Task;
    }
}
