using System.Threading.Channels;
using Ambrosia;

namespace NamespaceOfName;

/// <summary>Turns lines that are typed into calls of the counter, and prints the answers.</summary>
internal static class Keyboard
{
    private static readonly Channel<string> s_lines = Channel.CreateUnbounded<string>();

    static Keyboard() => new Thread(Read) { IsBackground = true }.Start();

    public static async Task ServeAsync(CounterProxy counter, ImmortalContext context)
    {
        try
        {
            Console.WriteLine($"Total: {await counter.AddImpulse(0)}. Type a number to add; Ctrl+C ends, and kill -9 "
                + $"{Environment.ProcessId} does, too.");
            await foreach (string line in s_lines.Reader.ReadAllAsync(context.Stopping))
            {
                Console.WriteLine(int.TryParse(line, out int amount) ? $"Total: {await counter.AddImpulse(amount)}"
                    : $"'{line}' is not a number.");
            }
        }
        catch (Exception ended) when (ended is OperationCanceledException or ImpulseOutcomeUnknownException)
        {
            // This process no longer acts for the immortal. The next one has the total.
        }
    }

    private static void Read()
    {
        while (Console.ReadLine() is { } line)
        {
            s_lines.Writer.TryWrite(line);
        }
    }
}
