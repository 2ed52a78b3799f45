using Ambrosia.Packages.Tests.Support;

namespace Ambrosia.Packages.Tests;

/// <summary><c>dotnet new immortal-solution</c>: builds without a warning, passes its tests, serves requests, and survives kills.</summary>
[Collection(OneNewcomer.Name)]
public sealed class SolutionTests(Newcomer newcomer)
{
    [Fact]
    public async Task Orders_are_placed_once_by_the_web_front_whichever_immortal_is_killed()
    {
        await newcomer.SucceedAsync(newcomer.Folder, "dotnet new immortal-solution -o my-mall"); // No name of a namespace.
        string mall = Path.Combine(newcomer.Folder, "my-mall");
        await newcomer.SucceedAsync(mall, "dotnet build");
        Assert.Contains("Passed!", await newcomer.SucceedAsync(mall, "dotnet test --no-build"), StringComparison.Ordinal);

        Child stock = Run(mall, "stock");
        Child orders = Run(mall, "orders");
        Child web = newcomer.Start(mall, "dotnet web/bin/Debug/net10.0/my-mall.Web.dll --urls http://127.0.0.1:0");
        string listening = await web.SaysAsync("Now listening on:");
        using var client = new HttpClient { BaseAddress = new Uri(listening[listening.IndexOf("http:", StringComparison.Ordinal)..].Trim()),
            Timeout = TimeSpan.FromMinutes(2) };
        Assert.Equal("\"placed; 7 tea left\"", await OrderAsync(client, "a", 3));

        Child.Kill(stock.Id);
        Child.Kill(orders.Id);
        await stock.EndAsync();
        await orders.EndAsync();
        Task<string> meanwhile = OrderAsync(client, "b", 2); // Waits in the log of the web front.
        Child newOrders = Run(mall, "orders");
        Child newStock = Run(mall, "stock");
        Assert.Equal("\"placed; 5 tea left\"", await meanwhile);
        Assert.Equal("\"placed; 7 tea left\"", await OrderAsync(client, "a", 3));
        Child.Stop(web.Id);
        await web.EndAsync();
        Assert.Equal(0, web.ExitCode);
        Child.Stop(newStock.Id);
        Child.Stop(newOrders.Id);
        await newStock.EndAsync();
        await newOrders.EndAsync();
        await RunAllByTheCommandAsync(mall, client.BaseAddress);
    }

    // As the template's README says, at the port where the others have just been.
    private async Task RunAllByTheCommandAsync(string mall, Uri address)
    {
        string tools = Path.Combine(newcomer.Folder, "tools-of-mall");
        await newcomer.SucceedAsync(mall, $"dotnet tool install Ambrosia.Cli --tool-path {tools} --version {Repository.Version}");
        string file = Path.Combine(mall, "app.json");
        string text = await File.ReadAllTextAsync(file);
        Assert.Contains("http://0.0.0.0:8080", text, StringComparison.Ordinal);
        await File.WriteAllTextAsync(file,
            text.Replace("http://0.0.0.0:8080", address.GetLeftPart(UriPartial.Authority), StringComparison.Ordinal));
        Child all = newcomer.Start(mall, $"{tools}/ambrosia run -f app.json");
        await all.SaysAsync("my-mall: all immortals are ready");
        using var client = new HttpClient { BaseAddress = address, Timeout = TimeSpan.FromMinutes(2) };
        Assert.Equal("\"placed; 1 tea left\"", await OrderAsync(client, "c", 4)); // The three go on where they were.
        Child.Stop(all.Id);
        await all.EndAsync();
        Assert.Equal(0, all.ExitCode);
    }

    private Child Run(string mall, string project) =>
        newcomer.Start(mall, $"dotnet {project}/bin/Debug/net10.0/my-mall.{char.ToUpperInvariant(project[0])}{project[1..]}.dll");

    private static async Task<string> OrderAsync(HttpClient client, string id, int quantity)
    {
        using HttpResponseMessage answer =
            await client.PutAsync(new Uri($"/orders/{id}?item=tea&quantity={quantity}", UriKind.Relative), null);
        return await answer.Content.ReadAsStringAsync();
    }
}
