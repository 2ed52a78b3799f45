using Ambrosia;
using Ambrosia.Primitives;

namespace Bank;

/// <summary>
/// Sends orders in loops that never end by themselves, awaits each receipt, and now and then rests on a durable timer. Its loops are
/// suspended in the middle when its process is killed, and go on in the middle when it is back.
/// </summary>
public sealed class Client : ClientBase
{
    private const int Lanes = 8;
    private const int OrdersPerRest = 25;
    private static readonly TimeSpan s_rest = TimeSpan.FromMilliseconds(50);

    private readonly DurableDictionary<string, long> _sent = [];
    private readonly DurableList<long> _placed = [];
    private long _calls;
    private long _answers;
    private long _wrongAnswers;
    private long _open;
    private bool _closing;

    public override async DurableTask Run(int lane)
    {
        for (int i = 1; !_closing; i++)
        {
            await SendAsync(Teller.RandomOrder(Random));
            if (i % OrdersPerRest == 0)
            {
                await Delay(s_rest);
            }
        }

        _open--;
    }

    public override async DurableTask<Receipt> Place(long number, Order order)
    {
        _placed.Add(number);
        _open++;
        Receipt receipt = await SendAsync(order);
        _open--;
        return receipt with { Number = number };
    }

    public override DurableTask Close()
    {
        _closing = true;
        return default;
    }

    public override DurableTask<ClientReport> Report() => new ClientReport(
        _calls, _answers, _wrongAnswers, _open, [.. _placed], [.. _sent.Select(static entry => new SentReport(entry.Key, entry.Value))]);

    protected override DurableTask OnFirstStart()
    {
        for (int lane = 0; lane < Lanes; lane++)
        {
            _open++;
            This.RunFork(lane);
        }

        return default;
    }

    protected override void BecomingPrimary(ImmortalContext context)
    {
        Desk.Open(
            context,
            ("report", () => Desk.Json(This.ReportImpulse())),
            ("close", () => Desk.Done(This.CloseImpulse())));
        Teller.Open(This, context);
    }

    private async DurableTask<Receipt> SendAsync(Order order)
    {
        var shard = Proxy<ShardProxy>(order.FromShard);
        long number = Next(order.FromShard);
        if (number % 3 == 0)
        {
            shard.NoteFork(InstanceName, number, $"about to order {order.Amount}");
            number = Next(order.FromShard);
        }

        _calls++;
        Receipt receipt = await shard.TransferAsync(InstanceName, number, order);
        _answers++;
        if (receipt.Number != number)
        {
            _wrongAnswers++;
        }

        return receipt;
    }

    private long Next(string receiver) => _sent[receiver] = _sent.GetValueOrDefault(receiver) + 1;
}
