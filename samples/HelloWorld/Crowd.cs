using Ambrosia;
using Microsoft.Extensions.Logging;

namespace HelloWorld;

/// <summary>A visitor that asks as fast as it is answered, without an end, and counts answers that are not the next one: there must be
/// none, whatever is killed meanwhile.</summary>
public sealed class Crowd : VisitorBase
{
    private const int GreetingsInOneGo = 100;

    private int _surprises;

    protected override async DurableTask OnFirstStart()
    {
        for (int i = 1; ; i++)
        {
            string answer = await Proxy<GreeterProxy>("greeter").GreetAsync("crowd");
            _surprises += answer == $"Hello, crowd! This is greeting {i}." ? 0 : 1;
            if (i % GreetingsInOneGo == 0)
            {
                Log.LogInformation("heard {Count} greetings, {Surprises} of them out of order", i, _surprises);
            }
        }
    }
}
