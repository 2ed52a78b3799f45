using System.Globalization;
using Ambrosia;

namespace Orders;

/// <summary>A payment service that fits into one file: it drops what comes a second time under the same id, as real ones do.</summary>
internal sealed class Payments(string file) : IPayments
{
    public Task Charge(int order, decimal amount, EffectContext effect) => TakeAsync("charge", order, amount, effect);

    public Task Refund(int order, decimal amount, EffectContext effect) => TakeAsync("refund", order, amount, effect);

    private async Task TakeAsync(string what, int order, decimal amount, EffectContext effect)
    {
        bool known = File.Exists(file)
            && (await File.ReadAllLinesAsync(file, effect.Cancellation)).Any(line => line.EndsWith(effect.Id, StringComparison.Ordinal));
        if (!known)
        {
            string line = string.Create(CultureInfo.InvariantCulture, $"{what} {order} {amount} {effect.Id}{Environment.NewLine}");
            await File.AppendAllTextAsync(file, line, effect.Cancellation);
        }
    }
}
