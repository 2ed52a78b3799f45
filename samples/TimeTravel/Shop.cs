using Microsoft.Extensions.Logging;

namespace Vouchers;

/// <summary>One day of customers. Somewhere in it, somebody's two children pay with the same voucher at two tills at once.</summary>
internal static class Shop
{
    public const int Cards = 40;
    private const int Rounds = 45;
    private const int Children = 30;

    public static async Task OpenAsync(VouchersProxy counter, ILogger log)
    {
        int unlucky = 0;
        for (int round = 0; round < Rounds; round++)
        {
            // Whose voucher is used up does not come again.
            await Task.WhenAll(Enumerable.Range(1, Cards).Where(card => (card + round) % 2 == 0 && card != unlucky)
                .Select(card => counter.SpendImpulse($"c{card}", 1 + (((card * 7) + round) % 3))));
            if (round == Children)
            {
                unlucky = await PayAtTwoTillsAsync(counter);
            }
        }

        log.LogInformation("closing time: {Worth}", await counter.CloseImpulse());
    }
    // Whether the second comes in time is chance, as it was in the shop; another family tries if it did not.
    private static async Task<int> PayAtTwoTillsAsync(VouchersProxy counter)
    {
        int card = 17;
        while (!(await Task.WhenAll(counter.SpendImpulse($"c{card}", 60), counter.SpendImpulse($"c{card}", 60))).All(static paid => paid))
        {
            card++;
        }

        return card;
    }
}
