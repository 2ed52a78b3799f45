using Ambrosia;
using Ambrosia.Samples;
using Shop;
using Shop.Demonstration;
using Shop.Effects;
using Shop.Immortals;
using Shop.Web;

// The parts of the shop, which app.json starts.
if (args is ["orders" or "warehouse" or "web", ..])
{
    SampleChild.EndWithParent();
    switch (args[0])
    {
        case "orders":
            using (var http = new HttpClient { BaseAddress = new Uri(Settings.Web) })
            {
                return await Immortal.RunAsync<Orders>(args[1..], options => options
                    .UseEffects<IPayments>(_ => new PaymentService(http))
                    .UseEffects<IMail>(static _ => new MailFolder(Path.Combine(Settings.Data, "mail"), Settings.MailTime)));
            }

        case "warehouse":
            return await Immortal.RunAsync<Warehouse>(args[1..]);
        default:
            await WebFront.RunAsync();
            return 0;
    }
}

if (args is ["--serve"])
{
    return await Stage.ServeAsync();
}

if (args.Length > 0)
{
    Console.Error.WriteLine("Without arguments: a demonstration that ends by itself. With --serve: a shop to play with, in a browser.");
    return 64;
}

return await SampleRun.RunAsync("shop", static run => new Demo(run).RunAsync());
