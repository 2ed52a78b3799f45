using System.Globalization;
using Ambrosia;

namespace Orders;

/// <summary>A payment service that fits into one file: it drops what comes a second time under the same id, as real ones do.</summary>
internal sealed class Payments(string file) : IPayments
{
    private readonly object _gate = new(); // Effects run beside each other.

    public Task Charge(int order, decimal amount, EffectContext effect) => TakeAsync("charge", order, amount, effect);

    public Task Refund(int order, decimal amount, EffectContext effect) => TakeAsync("refund", order, amount, effect);

    private Task TakeAsync(string what, int order, decimal amount, EffectContext effect)
    {
        lock (_gate)
        {
            bool known = File.Exists(file) && File.ReadLines(file).Any(line => line.EndsWith(effect.Id, StringComparison.Ordinal));
            if (!known)
            {
                string line = string.Create(CultureInfo.InvariantCulture, $"{what} {order} {amount} {effect.Id}{Environment.NewLine}");
                File.AppendAllText(file, line);
            }
        }

        return Task.CompletedTask;
    }
}
