using System.Globalization;
using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Turns [Retry] into the policy that generated code gives to the runtime.</summary>
internal static class RetryExtractor
{
    private const string AttributeName = "Ambrosia.RetryAttribute";

    // What a timer of .NET takes.
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(20);

    /// <summary>The policy of a method as C#; null for the default.</summary>
    public static string? PolicyOf(IMethodSymbol method, INamedTypeSymbol type, SourceLocation? at, DiagnosticSink sink)
    {
        AttributeData? attribute = Find(method) ?? Find(type);
        if (attribute is null)
        {
            return null;
        }

        string owner = $"{type.Name}.{method.Name}";
        long timeout = Time(attribute, "Timeout", "00:00:30", s_longest, owner, at, sink);
        long first = Time(attribute, "First", "00:00:01", s_longest, owner, at, sink);
        long longest = Time(attribute, "Longest", "00:01:00", s_longest, owner, at, sink);
        long within = Time(attribute, "Within", null, TimeSpan.FromDays(36500), owner, at, sink);
        int attempts = Value(attribute, "Attempts") is int number ? number : 0;
        if (attempts < 0)
        {
            sink.Report(EffectRules.RetryIsWrong, at, "Attempts", Number(attempts), owner,
                "a number of attempts is not negative, and 0 sets no limit");
        }

        if (longest < first)
        {
            sink.Report(EffectRules.RetryIsWrong, at, "Longest", $"\"{TimeSpan.FromTicks(longest):c}\"", owner,
                "the longest pause is not shorter than the first");
        }

        return $"new global::Ambrosia.Runtime.EffectPolicy({Number(timeout)}, {Number(first)}, {Number(longest)}, {Number(within)}, "
            + $"{Number(attempts)})";
    }

    private static AttributeData? Find(ISymbol symbol) =>
        symbol.GetAttributes().FirstOrDefault(static a => a.AttributeClass?.ToDisplayString() == AttributeName);

    private static object? Value(AttributeData attribute, string name) =>
        attribute.NamedArguments.FirstOrDefault(pair => pair.Key == name).Value.Value;

    private static long Time(
        AttributeData attribute, string name, string? otherwise, TimeSpan longest, string owner, SourceLocation? at, DiagnosticSink sink)
    {
        string? text = Value(attribute, name) as string ?? otherwise;
        if (text is null)
        {
            return 0;
        }

        if (TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out TimeSpan time) && time > TimeSpan.Zero && time <= longest)
        {
            return time.Ticks;
        }

        sink.Report(EffectRules.RetryIsWrong, at, name, $"\"{text}\"", owner,
            $"write a time as \"hours:minutes:seconds\" or \"days.hours:minutes:seconds\", more than none and at most "
                + $"{Number(longest.Days)} days");
        return TimeSpan.TicksPerSecond;
    }

    private static string Number(long value) => value.ToString(CultureInfo.InvariantCulture);
}
