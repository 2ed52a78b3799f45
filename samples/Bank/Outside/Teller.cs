using System.Globalization;
using Ambrosia;
using Ambrosia.Primitives;

namespace Bank;

/// <summary>
/// A person at a counter, outside of all immortals: places one order after the other as an impulse and writes into a file what was asked
/// for and what was answered. The file is the independent witness of the audit: an answered order must have been executed exactly once, any
/// other at most once.
/// </summary>
internal static class Teller
{
    /// <summary>Environment variable that names the folder of the files.</summary>
    public const string FolderVariable = "BANK_HISTORY";

    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(10);

    /// <summary>Both halves of the bank.</summary>
    public static IReadOnlyList<string> Shards { get; } = ["north", "south"];

    /// <summary>Starts placing orders; the first number is the one after the last in the file.</summary>
    public static void Open(ClientProxy client, ImmortalContext context)
    {
        if (Environment.GetEnvironmentVariable(FolderVariable) is { Length: > 0 } folder)
        {
            _ = PlaceAsync(client, folder, context);
        }
    }

    /// <summary>The file whose presence says that the counter is closed.</summary>
    public static string ClosedFile(string folder) => Path.Combine(folder, "closed");

    public static string PathOf(string folder, string client) => Path.Combine(folder, client + ".history");

    public static Order RandomOrder(Random random)
    {
        string from = Shards[random.Next(Shards.Count)];
        string to = Shards[random.Next(Shards.Count)];
        return new Order(
            from, Shard.AccountName(from, random.Next(Shard.Accounts)), to, Shard.AccountName(to, random.Next(Shard.Accounts)),
            random.Next(1, 20_000) / 100m);
    }

    private static async Task PlaceAsync(ClientProxy client, string folder, ImmortalContext context)
    {
        string path = PathOf(folder, context.InstanceName);
        long number = LastNumber(path);
        var random = new Random((int)context.Epoch);
        await using var file = new StreamWriter(new FileStream(path, FileMode.Append, FileAccess.Write, FileShare.Read))
            { AutoFlush = true };
        await file.WriteLineAsync(); // Closes a line that a killed predecessor may have left half written.
        try
        {
            while (!context.Stopping.IsCancellationRequested && !File.Exists(ClosedFile(folder)))
            {
                number++;
                await file.WriteLineAsync($"asked {number}");
                Receipt receipt = await client.PlaceImpulse(number, RandomOrder(random));
                await file.WriteLineAsync($"answered {receipt.Number}");
                await Task.Delay(s_pause, context.Time, context.Stopping);
            }
        }
        catch (Exception failure)
            when (failure is ImpulseOutcomeUnknownException or InvalidOperationException or OperationCanceledException)
        {
            // The process stops acting for the client; its successor goes on with the next number.
        }
    }

    private static long LastNumber(string path) => !File.Exists(path) ? 0 : File.ReadLines(path)
        .Where(static line => line.StartsWith("asked ", StringComparison.Ordinal))
        .Select(static line => long.TryParse(line.AsSpan("asked ".Length), CultureInfo.InvariantCulture, out long number) ? number : 0)
        .DefaultIfEmpty(0).Max();
}
