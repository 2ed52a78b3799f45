using Ambrosia;
using Microsoft.Extensions.Logging;

namespace Upgrade;

/// <summary>Buys one ticket after the other and checks each answer. It knows nothing of versions.</summary>
public sealed class Door : DoorBase
{
    public const int Guests = 300;
    private long _visitors;

    private TicketsProxy Tickets => Proxy<TicketsProxy>("tickets");

    public override DurableTask<long> Visitors() => _visitors;

    protected override async DurableTask OnFirstStart()
    {
        // One ticket is held all the time: its call is suspended in the office while the office is upgraded.
        DurableTask<long> held = Tickets.ReserveAsync("patron", 5000);
        while (_visitors < Guests)
        {
            _visitors++;
            long sold = await Tickets.SellAsync(_visitors % 3 == 0 ? "child" : "adult", _visitors % 3 == 0 ? 450 : 900);
            // The ticket that is held may have been sold in between.
            if (sold != _visitors && sold != _visitors + 1)
            {
                Log.LogError("wrong: visitor {Visitor} got ticket {Sold}", _visitors, sold);
            }

            if (_visitors % 50 == 0)
            {
                Log.LogInformation("visitors: {Visitors}", _visitors);
            }

            await Delay(TimeSpan.FromMilliseconds(10));
        }

        long last = await held;
        string books = await Tickets.BooksAsync();
        Log.LogInformation("the held ticket was number {Number}; books: {Books}", last, books);
    }
}
