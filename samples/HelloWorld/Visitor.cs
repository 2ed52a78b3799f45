using Ambrosia;
using Microsoft.Extensions.Logging;

namespace HelloWorld;

/// <summary>Asks for greetings, one after the other. Its loop, suspended at any await, survives its process, too.</summary>
public sealed class Visitor : VisitorBase
{
    public const int Greetings = 6;

    private GreeterProxy Greeter => Proxy<GreeterProxy>("greeter");

    protected override async DurableTask OnFirstStart()
    {
        for (int i = 0; i < Greetings; i++)
        {
            string answer = await Greeter.GreetAsync("world");
            Log.LogInformation("heard: {Answer}", answer);
            await Delay(TimeSpan.FromMilliseconds(300));
        }

        Log.LogInformation("goodbye");
    }
}
