using System.Text.Json;
using Ambrosia;
using Ambrosia.Primitives;
using Ambrosia.Samples;

namespace Bank;

/// <summary>The side of an immortal's process that faces the outside: takes commands as lines on standard input, answers on standard
/// output.</summary>
internal static class Desk
{
    /// <summary>Begins every line that is an answer to a command.</summary>
    public const string Answer = "answer ";

    /// <summary>Begins the line that says that the process acts for the immortal now, followed by its epoch.</summary>
    public const string Ready = "ready ";

    /// <summary>Serves commands until the process ends.</summary>
    public static void Open(ImmortalContext context, params (string Command, Func<Task<string>> Run)[] commands)
    {
        Console.Out.WriteLine($"{Ready}{context.Epoch}");
        _ = ServeAsync(commands, context.Stopping);
    }

    /// <summary>A result as one line of JSON.</summary>
    public static async Task<string> Json<T>(Task<T> result) => JsonSerializer.Serialize(await result);

    /// <summary>The answer to a command without a result.</summary>
    public static async Task<string> Done(Task task)
    {
        await task;
        return "{}";
    }

    private static async Task ServeAsync((string Command, Func<Task<string>> Run)[] commands, CancellationToken stopping)
    {
        await foreach (string line in SampleChild.Lines.ReadAllAsync(stopping))
        {
            try
            {
                foreach ((string command, Func<Task<string>> run) in commands)
                {
                    if (line == command)
                    {
                        Console.Out.WriteLine($"{Answer}{command} {await run()}");
                    }
                }
            }
            catch (Exception failure) when (failure is ImpulseOutcomeUnknownException or InvalidOperationException)
            {
                // The coordinator is gone and this process follows it: its successor is asked next.
                return;
            }
        }
    }
}
