using Ambrosia.PowerCut.Tests.Machines;
using Ambrosia.PowerCut.Tests.Volumes;

namespace Ambrosia.PowerCut.Tests.Running;

/// <summary>
/// The worker: runs in a mount namespace of its own, keeps its disks in memory there, and ends when its standard input does. Whatever ends
/// it takes mounts, loop devices and images away.
/// </summary>
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
        string place = arguments[1];
        if (Kernel.Mount("tmpfs", place, "tmpfs", 0, "size=4g") != 0)
        {
            Console.WriteLine($"VIOLATION The folder for the disks cannot be mounted: {Kernel.Reason}");
            return 1;
        }

        return arguments[0] switch
        {
            "log" => await LogStoreCuts.RunAsync(place),
            "machines" => await MachineCuts.RunAsync(place),
            _ => throw new ArgumentException(arguments[0]),
        };
    }
}
