using Ambrosia;
using NamespaceOfName;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<FrontDoor>();
builder.Services.AddImmortal<Front>("web");
WebApplication app = builder.Build();

// The id is the caller's: a request that is repeated, because nobody knows what became of the first, orders nothing twice.
app.MapPut("/orders/{id}", async (string id, string item, int quantity, FrontDoor door, CancellationToken gone) =>
{
    // A stop does not wait for orders that wait for somebody else: the host would give up on the immortal meanwhile.
    using var over = CancellationTokenSource.CreateLinkedTokenSource(gone, app.Lifetime.ApplicationStopping);
    try
    {
        FrontProxy front = await door.FrontAsync(over.Token);
        return Results.Ok(await front.OrderImpulse(id, item, quantity).WaitAsync(over.Token));
    }
    catch (Exception ended) when (ended is ImpulseOutcomeUnknownException or OperationCanceledException)
    {
        return Results.Text("Nobody knows what became of it: send it again.", statusCode: StatusCodes.Status503ServiceUnavailable);
    }
});

await app.RunAsync();
return Environment.ExitCode;
