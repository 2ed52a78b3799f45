using System.Globalization;

namespace Ambrosia.EndToEnd.Tests.Driving;

/// <summary>Memory of processes, from /proc.</summary>
internal static class ProcessMemory
{
    /// <summary>Resident bytes now; 0 when there is no such process.</summary>
    public static long Resident(int process)
    {
        try
        {
            string line = File.ReadLines($"/proc/{process}/status")
                .FirstOrDefault(static l => l.StartsWith("VmRSS:", StringComparison.Ordinal)) ?? "";
            string digits = new([.. line.Where(char.IsAsciiDigit)]);
            return digits.Length == 0 ? 0 : long.Parse(digits, CultureInfo.InvariantCulture) * 1024;
        }
        catch (IOException)
        {
            return 0;
        }
    }
}
