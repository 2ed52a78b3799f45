namespace Ambrosia.InProcess.Tests.Effects;

public sealed class Shop : ShopBase
{
    private readonly Dictionary<string, DurableCancellation> _open = [];

    public List<string> Seen { get; } = [];

    public override async DurableTask<string> Order(string customer, decimal amount)
    {
        try
        {
            string paid = await Effects<PaymentsEffects>().ChargeAsync(customer, amount);
            Seen.Add($"{customer} paid {paid}");
            return paid;
        }
        catch (CardRefusedException refused)
        {
            Seen.Add($"{customer}: {refused.Message}, {refused.TriesLeft} tries left");
            return "refused";
        }
        catch (Exception error)
        {
            Seen.Add($"{customer}: {error.GetType().Name}");
            throw;
        }
    }

    public override DurableTask Thank(string customer)
    {
        Effects<PaymentsEffects>().MailFork(customer, "Thank you");
        return default;
    }

    public override async DurableTask<string> OrderWithin(string customer, double seconds)
    {
        PaymentsEffects payments = Effects<PaymentsEffects>(); // Kept over the await.
        try
        {
            return await payments.ChargeAsync(customer, 1).WithTimeout(TimeSpan.FromSeconds(seconds));
        }
        catch (TimeoutException)
        {
            payments.MailFork(customer, "Later");
            return "late";
        }
    }

    public override async DurableTask Steps(int count)
    {
        var all = new DurableTask<int>[count];
        for (int i = 0; i < count; i++)
        {
            all[i] = Effects<PaymentsEffects>().StepAsync(i);
        }

        foreach (DurableTask<int> one in all)
        {
            Seen.Add($"step {await one}");
        }
    }

    public override DurableTask<int> Many(int count)
    {
        int asked = 0;
        try
        {
            for (; asked < count; asked++)
            {
                Effects<PaymentsEffects>().MailFork("all", $"{asked}");
            }
        }
        catch (InvalidOperationException)
        {
            Seen.Add($"full after {asked}");
        }

        return new(asked);
    }

    public override async DurableTask<string> Large(int size) => await Effects<PaymentsEffects>().LargeAsync(size);

    public override async DurableTask Begin(string customer)
    {
        _open[customer] = new DurableCancellation();
        try
        {
            Seen.Add($"{customer} paid {await Effects<PaymentsEffects>(_open[customer]).ChargeAsync(customer, 1)}");
        }
        catch (OperationCanceledException)
        {
            Seen.Add($"{customer} cancelled");
        }
    }

    public override DurableTask Cancel(string customer)
    {
        _open[customer].Cancel();
        return default;
    }

    public override DurableTask<int> Asks()
    {
#pragma warning disable AMB122 // What happens when the analyzer is not heeded is tested.
        Effects<PaymentsEffects>().MailFork("a", "b");
#pragma warning restore AMB122
        return new(1);
    }
}
