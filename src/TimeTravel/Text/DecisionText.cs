using Ambrosia.Coordinator.Records;
using Ambrosia.LogStore;

namespace Ambrosia.TimeTravel.Text;

/// <summary>Logged decisions as people read them.</summary>
internal static class DecisionText
{
    public static string Of(VersionChange mark) => mark.At == Lsn.None
        ? mark.From == mark.To ? "another version or build is tried" : $"an upgrade is tried, from {mark.From} to {mark.To}"
        : $"the state was upgraded after {mark.At.Value}, from {mark.From} to {mark.To}";

    public static string Of(BuildStep mark) => $"build {mark.Build} executes what lies after {mark.At.Value}";

    public static string Of(DropPoint mark) => $"what waits for {mark.Destination}, up to message {mark.Number}, is dropped";

    public static string Of(QuarantineStep mark)
    {
        string place = mark.First == mark.Last ? $"{mark.First}" : $"{mark.First} to {mark.Last}";
        return mark.Step switch
        {
            PoisonStep.Suspected => $"the app died in {place}{(mark.Deaths > 1 ? $", {mark.Deaths} times by now" : "")}",
            PoisonStep.Cleared => $"{place} is not suspected any more",
            PoisonStep.Quarantined => $"{place} was taken out: it is not executed again{(mark.Text.Length > 0 ? $" ({mark.Text})" : "")}",
            PoisonStep.Redriven => $"{place}, which had been taken out, comes once more",
            PoisonStep.Dropped => $"{place}, which had been taken out, was thrown away",
            PoisonStep.QuarantineProposed => $"whether {place} is taken out is being decided",
            _ => $"{place} is not taken out",
        };
    }
}
