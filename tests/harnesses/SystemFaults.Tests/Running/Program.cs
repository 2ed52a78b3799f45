namespace Ambrosia.SystemFaults.Tests.Running;

/// <summary>The worker: runs behind the preloaded shim or with disks of its own, and ends when its standard input does.</summary>
internal static class Program
{
    private static async Task<int> Main(string[] arguments)
    {
        new Thread(static () =>
        {
            while (Console.In.Read() >= 0)
            {
            }

            Environment.Exit(2);
        })
        { IsBackground = true }.Start();
        // Where mkfs lies is not in everybody's path.
        Environment.SetEnvironmentVariable("PATH", Environment.GetEnvironmentVariable("PATH") + ":/usr/sbin:/sbin");
        return arguments[0] switch
        {
            "log" => await LogStoreFaults.RunAsync(arguments[1]),
            "full" => await FullDisks.RunAsync(arguments[1]),
            _ => throw new ArgumentException(arguments[0]),
        };
    }
}
