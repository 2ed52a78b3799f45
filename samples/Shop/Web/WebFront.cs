using System.Text.Json;
using System.Text.Json.Serialization;
using Ambrosia.Client;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Json;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Shop.Effects;
using Shop.Immortals;

namespace Shop.Web;

/// <summary>
/// What browsers see. It is an ordinary process and keeps nothing: when it is killed, a browser sends its order again, with the same key.
/// </summary>
internal static class WebFront
{
    private const int MostOfName = 40;

    public static async Task RunAsync()
    {
        var options = new WebApplicationOptions { ContentRootPath = AppContext.BaseDirectory, WebRootPath = "Web/wwwroot" };
        WebApplicationBuilder builder = WebApplication.CreateBuilder(options);
        builder.WebHost.UseUrls(Settings.Web);
        builder.Configuration["AllowedHosts"] = "127.0.0.1;localhost"; // A page elsewhere has no business here: this one kills.
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services
            .AddAmbrosiaClient(static client =>
            {
                client.Instances["orders"] = [Settings.Orders];
                client.Instances["warehouse"] = [Settings.Warehouse];
                client.Deadline = TimeSpan.FromSeconds(30);
            })
            .AddImmortalClient<OrdersClient>("orders")
            .AddImmortalClient<WarehouseClient>("warehouse")
            .AddSingleton<HttpClient>()
            .AddSingleton(new Bills(Path.Combine(Settings.Data, "provider")))
            .AddSingleton<PaymentProvider>()
            .Configure<JsonOptions>(static json => json.SerializerOptions.Converters.Add(new JsonStringEnumConverter()));

        await using WebApplication app = builder.Build();
        app.UseDefaultFiles();
        app.UseStaticFiles();
        MapShop(app);
        MapProvider(app);
        MapKills(app);
        await app.StartAsync();
        _ = app.Services.GetRequiredService<PaymentProvider>().ResumeAsync(app.Lifetime.ApplicationStopping);
        await app.WaitForShutdownAsync();
    }

    private static void MapShop(WebApplication app)
    {
        app.MapPost("/orders", PlaceAsync);
        app.MapGet("/goods", static () => Goods.All);
        app.MapGet("/letters", static () => MailFolder.Read(Path.Combine(Settings.Data, "mail")));

        // Watched: the page is told when something changes, and asks for nothing.
        app.MapGet("/orders/watch", static (HttpContext context, OrdersClient orders) =>
            TellAsync(context, stop => orders.AllWatch(stop)));
        app.MapGet("/shelves/watch", static (HttpContext context, WarehouseClient warehouse) =>
            TellAsync(context, stop => warehouse.ShelvesWatch(stop)));

        // Queries: nothing of them is logged.
        app.MapGet("/orders", static (OrdersClient orders, CancellationToken stop) => AskAsync(orders.AllQuery(stop)));
        app.MapGet("/reports", static (OrdersClient orders, CancellationToken stop) => AskAsync(orders.ReportsQuery(stop)));
        app.MapGet("/shelves", static (WarehouseClient warehouse, CancellationToken stop) => AskAsync(warehouse.ShelvesQuery(stop)));
    }

    private static void MapProvider(WebApplication app)
    {
        app.MapPost("/provider/bills", static (BillRequest request, PaymentProvider provider) => provider.Ask(request));
        app.MapPost("/provider/refunds", static (RefundRequest request, PaymentProvider provider) => provider.Refund(request));
        app.MapPost("/pay", static async (PayRequest request, PaymentProvider provider, CancellationToken stop) =>
            await provider.PayAsync(request, stop) is { } state ? Results.Ok(state) : Results.NotFound());
    }

    private static void MapKills(WebApplication app)
    {
        int parent = Parts.OwnParent;
        app.MapGet("/parts", () => Parts.All.Select(name => new { name, id = Parts.Running(parent).GetValueOrDefault(name) }));
        app.MapPost("/kill", (KillRequest request) => Parts.Kill(parent, request.Part) ? Results.Ok() : Results.NotFound());
    }

    // One key is one order, however often it arrives, and whichever process of ours passes it on.
    private static async Task<IResult> PlaceAsync(OrderRequest order, OrdersClient orders, CancellationToken stop)
    {
        if (Goods.Find(order.Item) is null || string.IsNullOrWhiteSpace(order.Customer) || order.Customer.Length > MostOfName)
        {
            return Results.BadRequest($"An order needs an item that we sell, and a customer's name of up to {MostOfName} characters.");
        }

        try
        {
            return Results.Ok(await orders.WithKey(new CallKey(order.Key, order.Made)).PlaceAsync(order.Customer, order.Item, stop));
        }
        catch (CallRefusedException refused)
        {
            return Results.BadRequest(refused.Message); // Such as a key that is none.
        }
        catch (CallNotAnsweredException)
        {
            return Results.StatusCode(StatusCodes.Status503ServiceUnavailable); // Nobody came back in time: send it again.
        }
    }

    // Server-sent events. A browser comes again by itself when this process was killed; the client here when an immortal was.
    private static async Task TellAsync<T>(HttpContext context, Func<CancellationToken, IAsyncEnumerable<T>> watch)
    {
        JsonSerializerOptions json = context.RequestServices.GetRequiredService<IOptions<JsonOptions>>().Value.SerializerOptions;
        CancellationToken stopping = context.RequestServices.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping;
        using var end = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted, stopping);
        context.Response.ContentType = "text/event-stream";
        context.Response.Headers.CacheControl = "no-store";
        try
        {
            await context.Response.Body.FlushAsync(end.Token); // The browser knows that it will be told.
            await foreach (T answer in watch(end.Token))
            {
                await context.Response.WriteAsync($"data: {JsonSerializer.Serialize(answer, json)}\n\n", end.Token);
                await context.Response.Body.FlushAsync(end.Token);
            }
        }
        catch (OperationCanceledException)
        {
            // The page was closed, or this process ends.
        }
        catch (CallNotAnsweredException)
        {
            // Nobody came back in time. The browser asks again.
        }
    }

    private static async Task<IResult> AskAsync<T>(Task<T> asking)
    {
        try
        {
            return Results.Ok(await asking);
        }
        catch (CallNotAnsweredException)
        {
            return Results.StatusCode(StatusCodes.Status503ServiceUnavailable); // It was killed, and comes back.
        }
    }
}
