using System.Globalization;
using Ambrosia.Coordinator.Transport;

namespace Ambrosia.CoordinatorHost.Places;

/// <summary>What a coordinator says of itself to commands of its user: which instance it is, and where it can be asked.</summary>
/// <param name="Instance">The instance.</param>
/// <param name="Store">Where its log lies, as a coordinator completes it.</param>
/// <param name="Replica">Its number; null for the only coordinator.</param>
/// <param name="Admin">Where it answers.</param>
/// <param name="TokenFile">What holds the token that it asks for; empty if it asks for none.</param>
/// <param name="Process">The process, as it names itself in the lock: <c>pid 123 started 456789</c>.</param>
/// <param name="Machine">The machine's boot, and the namespace of its process numbers.</param>
public sealed record ServingEntry(
    string Instance, string Store, int? Replica, EndPointName Admin, string TokenFile, string Process, string Machine)
{
    /// <summary>The text of its file: a word and a value in each line.</summary>
    public string Text => string.Create(
        CultureInfo.InvariantCulture,
        $"instance {Instance}\nstore {Store}\nreplica {Replica}\nadmin {Admin}\ntoken {TokenFile}\nprocess {Process}\nmachine {Machine}\n");

    /// <summary>Reads it; null when it is none.</summary>
    public static ServingEntry? Parse(string text)
    {
        var words = new Dictionary<string, string>(StringComparer.Ordinal);
        foreach (string line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            int space = line.IndexOf(' ', StringComparison.Ordinal);
            if (space > 0)
            {
                words[line[..space]] = line[(space + 1)..];
            }
        }

        string Word(string name) => words.GetValueOrDefault(name, "");
        bool isNumbered = int.TryParse(Word("replica"), NumberStyles.None, CultureInfo.InvariantCulture, out int replica);
        return InstanceName.IsValid(Word("instance")) && EndPointName.TryParse(Word("admin"), out EndPointName? admin, out _)
            ? new ServingEntry(
                Word("instance"), Word("store"), isNumbered ? replica : null, admin, Word("token"), Word("process"), Word("machine"))
            : null;
    }
}
