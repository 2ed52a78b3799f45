using System.Globalization;
using Ambrosia;
using Ambrosia.Samples;

namespace Timers;

/// <summary>Turns lines into impulses. It is outside of the immortal: what it does is not logged, only what it sends.</summary>
internal static class Keyboard
{
    /// <summary>Printed when an immortal is ready for lines.</summary>
    public const string Ready = "ready";

    /// <summary>Begins each answer to a line.</summary>
    public const string Answer = "answer ";

    public static async Task ServeAsync(RemindersProxy reminders, ImmortalContext context)
    {
        Console.Out.WriteLine(Ready);
        try
        {
            await foreach (string line in SampleChild.Lines.ReadAllAsync(context.Stopping))
            {
                Console.Out.WriteLine(Answer + await SendAsync(reminders, line));
            }
        }
        catch (Exception ended) when (ended is OperationCanceledException or ImpulseOutcomeUnknownException)
        {
            // The process stops acting for the immortal.
        }
    }

    private static async Task<string> SendAsync(RemindersProxy reminders, string line)
    {
        string[] words = line.Split(' ', 2, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
        if (words is ["list"])
        {
            return await reminders.ListImpulse();
        }

        return words is [var time, var text] && double.TryParse(time, CultureInfo.InvariantCulture, out double seconds)
            ? await reminders.RemindImpulse(seconds, text)
            : "write a number of seconds and a text, as in: 5 tea is ready";
    }
}
