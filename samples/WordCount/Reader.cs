using System.Text.Json;
using Ambrosia;

namespace WordCount;

/// <summary>
/// Reads the text, outside of all immortals, and sends it to the splitter as impulses. After a crash of its process it asks the splitter
/// where to go on: a block that was logged is never sent again, one that was not is.
/// </summary>
internal static class Reader
{
    /// <summary>Environment variable with the path of the text.</summary>
    public const string PathVariable = "WORDCOUNT_PATH";

    /// <summary>Environment variable with the path of the table to be written.</summary>
    public const string TableVariable = "WORDCOUNT_TABLE";

    /// <summary>Begins each line about progress.</summary>
    public const string Progress = "progress ";

    /// <summary>Printed when the table is written.</summary>
    public const string Finished = "finished";

    public static async Task ServeAsync(SplitterProxy splitter, ImmortalContext context)
    {
        try
        {
            await ReadAsync(splitter, context.Stopping);
        }
        catch (Exception ended) when (ended is ImpulseOutcomeUnknownException or InvalidOperationException or OperationCanceledException)
        {
            // The process stops acting for the splitter; its successor goes on.
        }
    }

    private static async Task ReadAsync(SplitterProxy splitter, CancellationToken stopping)
    {
        string path = Environment.GetEnvironmentVariable(PathVariable) ?? "";
        string table = Environment.GetEnvironmentVariable(TableVariable) ?? "";
        long next = await splitter.NextBlockImpulse();
        long block = 0;
        foreach (string text in new TextSource(path).Blocks())
        {
            if (block >= next)
            {
                await splitter.TakeImpulse(block, text);
                Console.Out.WriteLine(Progress + (block + 1));
            }

            block++;
            stopping.ThrowIfCancellationRequested();
        }

        Dictionary<string, long> counts = await splitter.CollectImpulse();
        await File.WriteAllTextAsync(table, JsonSerializer.Serialize(counts), stopping);
        Console.Out.WriteLine(Finished);
    }
}
