namespace Ambrosia.Fuzz.Tests.Rot;

/// <summary>
/// How a recovery ended. <paramref name="Stop"/>: the error, null when it went through. <paramref name="Lost"/>: records that are missing
/// at the end.
/// <paramref name="Warnings"/>: lines that were logged.
/// </summary>
internal sealed record Verdict(LogStore.Errors.LogStoreException? Stop, int Lost, IReadOnlyList<string> Warnings)
{
    /// <summary>Whether some line, or the error, has the code and names the file.</summary>
    public bool Names(string code, string file) =>
        (Stop is { } stop && stop.Code == code && stop.Message.Contains(file, StringComparison.Ordinal))
        || Warnings.Any(line => line.Contains(code, StringComparison.Ordinal) && line.Contains(file, StringComparison.Ordinal));

    public override string ToString() => $"{Stop?.Message ?? "recovered"}; {Lost} records lost; warnings: {string.Join(" // ", Warnings)}";
}
