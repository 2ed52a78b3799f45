using Ambrosia.LogStore.Append;
using Ambrosia.LogStore.Errors;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Stores;
using Ambrosia.LogStore.Tests.Support;
using Ambrosia.Primitives;

namespace Ambrosia.LogStore.Tests.Processes;

/// <summary>The second process of tests that need one: <c>hold</c> takes the lease and stays, <c>append</c> logs messages and prints each
/// LSN that became durable,
/// <c>catalog</c> changes an entry of a catalog and stops itself at a given call,
/// <c>fixture</c> makes the store that Fixtures/ keeps for a format.</summary>
internal static class Program
{
    private static async Task<int> Main(string[] arguments)
    {
        if (arguments[0] == "fixture")
        {
            await FixtureMaker.MakeAsync(arguments[1]);
            return 0;
        }

        if (arguments[0] == "catalog")
        {
            return await StoppingPut.RunAsync(arguments[1], int.Parse(arguments[2], System.Globalization.CultureInfo.InvariantCulture));
        }

        await using WriteAheadLog log = await LogStores.OpenLogAsync("file:" + arguments[1], "bank", new LogStoreOptions
            { PageSize = 4096, SegmentSize = 64 * 1024 }, new LogStoreEnvironment());
        return arguments[0] switch
        {
            "hold" => await HoldAsync(log),
            "append" => await AppendAsync(log, int.Parse(arguments[2], System.Globalization.CultureInfo.InvariantCulture)),
            _ => 2,
        };
    }

    private static async Task<int> HoldAsync(WriteAheadLog log)
    {
        if (await log.TryAcquireAsync() is not { } lease)
        {
            Console.WriteLine("refused");
            return 3;
        }

        Console.WriteLine("held");
        Console.In.ReadLine();
        await lease.DisposeAsync();
        return 0;
    }

    private static async Task<int> AppendAsync(WriteAheadLog log, int count)
    {
        try
        {
            var sink = new CollectingSink { Observed = static record => Console.WriteLine($"durable {record.Header.Lsn}") };
            await using LogHarness writer = await LogHarness.StartAsync(log, sink);
            Console.WriteLine($"epoch {writer.Start.Epoch} after {writer.Start.LastLsn}");
            for (int i = 0; i < count; i++)
            {
                await writer.AppendAsync(new byte[3000]);
            }

            Console.WriteLine("done");
            return 0;
        }
        catch (LogStoreException error)
        {
            Console.WriteLine(error.Message);
            return (int)error.ExitCode;
        }
        finally
        {
            Console.WriteLine("unwound");
        }
    }
}
