using Ambrosia.Bench.Processes;
using Ambrosia.Tests.Common;

namespace Ambrosia.Bench.Scenarios;

/// <summary>What TLS between the coordinators costs: forks and pings with and without it, in turns.</summary>
internal static class Encrypted
{
    private static readonly string[] s_names = ["source", "sink"];

    public static async Task RunAsync(Plan plan)
    {
        string folder = plan.FolderFor("certificates");
        Directory.CreateDirectory(folder);
        using var authority = new Authority(folder, "authority");
        foreach (string name in s_names)
        {
            authority.Sign(name, [$"spiffe://default/{name}"]);
        }

        string[] options = ["--peer-cert-file", Path.Combine(folder, $"{Cluster.NameMark}.crt"), "--peer-key-file",
            Path.Combine(folder, $"{Cluster.NameMark}.key"), "--peer-trusted-ca-file", authority.File];
        await using Cluster encrypted = await Cluster.StartAsync(plan.FolderFor("encrypted"), logged: false, s_names, options);
        await using Cluster plain = await Cluster.StartAsync(plan.FolderFor("plain"), logged: false, s_names);
        foreach ((int size, string text) in new[] { (16, "16 B"), (1024, "1 KiB"), (65536, "64 KiB") })
        {
            string name = $"encrypted, fork {text}, no log";
            if (plan.Wants(name))
            {
                Print(name, await Sample.TakeInTurnsAsync(
                    plan,
                    new Run("immortals, TLS", encrypted.Processes, seconds => encrypted.FloodAsync("source", "sink", size, seconds)),
                    new Run("the same without TLS", plain.Processes, seconds => plain.FloodAsync("source", "sink", size, seconds))));
            }
        }

        const string Call = "encrypted, awaited call 16 B, 1 outstanding, no log";
        if (plan.Wants(Call))
        {
            Print(Call, await Sample.TakeInTurnsAsync(
                plan,
                new Run("immortals, TLS", encrypted.Processes, seconds => encrypted.CallAsync("source", "sink", 16, 1, seconds)),
                new Run("the same without TLS", plain.Processes, seconds => plain.CallAsync("source", "sink", 16, 1, seconds))));
        }
    }

    private static void Print(string name, Sample[] samples) => Figure.Print(
        name,
        "messages/s",
        samples[0].MessagesPerSecond,
        samples[1].Name,
        samples[1].MessagesPerSecond,
        ("processorMicrosecondsPerMessage", samples[0].ProcessorMicroseconds()),
        ("withoutTls", samples[1].ProcessorMicroseconds()));
}
