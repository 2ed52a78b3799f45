using Ambrosia;
using Ambrosia.Samples;

namespace Orders;

/// <summary>Turns lines into impulses. It is outside of the immortal: what it does is not logged, only what it sends.</summary>
internal static class Desk
{
    /// <summary>The first line, said by the desk itself.</summary>
    public const string Open = "open";

    /// <summary>Asks for a report.</summary>
    public const string Report = "report";

    /// <summary>Printed when an immortal is ready for lines.</summary>
    public const string Ready = "ready";

    /// <summary>Begins each answer to a line.</summary>
    public const string Answer = "answer ";

    public static async Task ServeAsync(ImmortalContext context, Func<string, Task<string>> send)
    {
        try
        {
            Console.Out.WriteLine(await send(Open));
            await foreach (string line in SampleChild.Lines.ReadAllAsync(context.Stopping))
            {
                Console.Out.WriteLine(Answer + await send(line));
            }
        }
        catch (Exception ended) when (ended is OperationCanceledException or ImpulseOutcomeUnknownException)
        {
            // The process stops acting for the immortal.
        }
    }
}
