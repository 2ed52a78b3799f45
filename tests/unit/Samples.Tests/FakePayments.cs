using Shop.Effects;

namespace Ambrosia.Samples.Tests;

/// <summary>Notes the bills by their orders, and the id of each refund.</summary>
internal sealed class FakePayments : IPayments
{
    public Dictionary<int, string> Urls { get; } = [];

    public List<(int Order, string Id)> Refunds { get; } = [];

    public Task Ask(int order, decimal amount, string url, EffectContext effect)
    {
        Urls[order] = url;
        return Task.CompletedTask;
    }

    public Task Refund(int order, decimal amount, EffectContext effect)
    {
        Refunds.Add((order, effect.Id));
        return Task.CompletedTask;
    }
}
