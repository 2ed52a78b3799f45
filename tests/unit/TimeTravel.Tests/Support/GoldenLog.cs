using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Ambrosia.Inspection.Text;
using Ambrosia.Replay;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Log;

namespace Ambrosia.TimeTravel.Tests.Support;

/// <summary>
/// What a replay of a kept log must come to: written once, by the build that wrote the log, and never again. A continuation belongs to one
/// build of its method by design, so the state is looked at where no call is suspended.
/// </summary>
/// <param name="At">Position behind which the state was looked at.</param>
/// <param name="Messages">Messages up to there.</param>
/// <param name="Outputs">Messages that they made the app send.</param>
/// <param name="OutputsHash">SHA-256 over those: destination, kind, method, bytes, message by message.</param>
/// <param name="StateHash">Hash of the state.</param>
public sealed record GoldenLog(string At, long Messages, long Outputs, string OutputsHash, string StateHash)
{
    private static readonly JsonSerializerOptions s_json = new() { WriteIndented = true };

    /// <summary>Where the logs of a format lie, beside the test assembly.</summary>
    public static string FolderOf(string name) => Path.Combine(AppContext.BaseDirectory, "Golden", "format-1", name);

    /// <summary>What a log must come to.</summary>
    public static GoldenLog Read(string name) => JsonSerializer.Deserialize<GoldenLog>(File.ReadAllText(FolderOf(name) + ".json"))!;

    /// <summary>What it comes to now.</summary>
    /// <param name="folder">The log.</param>
    /// <param name="checkpoint">Where to begin; 0 for the first record.</param>
    /// <param name="at">Where to look; null for the last place without suspended calls.</param>
    public static async Task<GoldenLog> ReplayAsync<T>(string folder, ulong checkpoint = 0, Position? at = null)
        where T : Immortal, new()
    {
        await using Replay<T> replay = await ImmortalReplay.From(folder).Checkpoint(checkpoint).OpenAsync<T>();
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        long messages = 0;
        long outputs = 0;
        GoldenLog? last = null;
        while ((at is not { } end || replay.Traveler.At < end) && await replay.Traveler.StepAsync())
        {
            messages++;
            foreach (SentMessage sent in replay.Traveler.LastOutputs)
            {
                outputs++;
                hash.AppendData(Encoding.UTF8.GetBytes(
                    $"{replay.Traveler.At} {sent.Destination} {sent.Kind.Word()} {sent.MethodId} {sent.Body.Length}\n"));
                hash.AppendData(sent.Body.Span);
            }

            if (await IsAtRestAsync(replay.Traveler))
            {
                string state = await replay.Traveler.StateHashAsync() ?? "none";
                last = new GoldenLog(replay.Traveler.At.ToString(), messages, outputs, Convert.ToHexString(hash.GetCurrentHash()), state);
            }
        }

        return last ?? throw new InvalidOperationException($"{folder} has no place without suspended calls.");
    }

    /// <summary>Copies what belongs to a log, and nothing that belongs to a process, and writes down what it comes to.</summary>
    public static async Task KeepAsync<T>(string made, string target)
        where T : Immortal, new()
    {
        foreach (string file in Directory.EnumerateFiles(made, "*", SearchOption.AllDirectories)
            .Where(static path => Path.GetExtension(path) is ".seg" or ".ckpt" or ".0" or ".1"))
        {
            string copy = Path.Combine(target, Path.GetRelativePath(made, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }

        await File.WriteAllTextAsync(target + ".json", JsonSerializer.Serialize(await ReplayAsync<T>(target), s_json) + "\n");
    }

    private static async Task<bool> IsAtRestAsync(TimeTraveler traveler)
    {
        using JsonDocument state = await traveler.StateAsync();
        JsonElement suspended = state.RootElement.GetProperty("suspended");
        return suspended.ValueKind != JsonValueKind.Array || suspended.GetArrayLength() == 0;
    }
}
