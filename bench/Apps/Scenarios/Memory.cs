using System.Text.Json.Nodes;
using Ambrosia.Bench.Processes;

namespace Ambrosia.Bench.Scenarios;

/// <summary>Resident memory of processes.</summary>
internal static class Memory
{
    /// <summary>Of each by its name, in MB.</summary>
    public static JsonObject Of(IEnumerable<Child> processes)
    {
        var each = new JsonObject();
        foreach (Child process in processes)
        {
            each[process.Name] = Numbers.Short(process.ResidentMegabytes());
        }

        return each;
    }
}
