using System.Globalization;
using System.Text;
using System.Xml.Linq;
using Ambrosia.Inspection.Text;
using Ambrosia.Primitives;
using Ambrosia.TimeTravel.Debugging;
using Ambrosia.TimeTravel.Text;

namespace Ambrosia.TimeTravel.Comparing;

/// <summary>A report for people, for programs, and for pipelines that read JUnit.</summary>
public static class ReportText
{
    private const int Column = 60;

    /// <summary>For people: the first difference with both outputs side by side, then the others, then the counts.</summary>
    public static string People(RetroactiveReport report, MethodNames names, string same)
    {
        ArgumentNullException.ThrowIfNull(report);
        ArgumentNullException.ThrowIfNull(names);
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{report.Instance}: {Counted.Of(report.Messages, "message", format: "N0")} "
            + $"from {report.From} to {report.To}, "
            + $"{report.Outputs:N0} sent, {report.Rate:N0} messages/s\n");
        text.Append(CultureInfo.InvariantCulture,
            $"compared with {report.Baseline}; states at {Counted.Of(report.StatesCompared, "place")}, digests of "
            + $"{Counted.Of(report.DigestsCompared, "record", format: "N0")}{Recovered(report)}\n");
        if (report.Cut is { } cut)
        {
            text.Append(CultureInfo.InvariantCulture, $"the run ended early: {cut}\n");
        }

        if (report.Effects > 0)
        {
            text.Append(CultureInfo.InvariantCulture, $"{Counted.Of(report.Effects, "effect", format: "N0")} asked for, none performed\n");
        }

        if (report.Faults > 0)
        {
            string handlers = Counted.Of(report.Faults, "handler", format: "N0");
            string then = report.IsAgainstLog ? "; whether they did before is in no log" : "";
            text.Append(CultureInfo.InvariantCulture, $"{handlers} threw, and nobody waited for them{then}\n");
        }

        if (report.IsSame)
        {
            string verdict = report.StatesCompared > 0 ? same : "what is sent is the same; states were not compared";
            return text.Append(CultureInfo.InvariantCulture, $"0 differences: {verdict}").ToString();
        }

        text.Append(CultureInfo.InvariantCulture, $"{Counted.Of(report.DifferenceCount, "difference", format: "N0")}\n\n");
        AppendFirst(text, report.Differences[0], names);
        foreach (Difference difference in report.Differences.Skip(1))
        {
            text.Append(CultureInfo.InvariantCulture, $"{Head(difference, names)}\n    {difference.Text}\n");
        }

        if (report.DifferenceCount > report.Differences.Count)
        {
            text.Append(CultureInfo.InvariantCulture, $"... and {report.DifferenceCount - report.Differences.Count:N0} more\n");
        }

        AppendCounts(text, report, names);
        return text.ToString().TrimEnd();
    }

    /// <summary>For programs: an object to serialize as JSON.</summary>
    public static object Data(RetroactiveReport report, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(report);
        ArgumentNullException.ThrowIfNull(names);
        return new
        {
            report.Instance, report.From, to = report.To.ToString(), report.Baseline, report.Messages, report.Outputs,
                seconds = report.Elapsed.TotalSeconds,
            messagesPerSecond = Math.Round(report.Rate), report.StatesCompared, report.DigestsCompared, report.Recoveries, report.Faults,
            report.Effects, report.Cut,
            differences = report.DifferenceCount,
            byMethod = report.ByMethod.ToDictionary(method => names.NameOf(method.Key), static method => method.Value),
            described = report.Differences.Select(difference => new
            {
                kind = difference.Kind.ToString(), at = difference.At.ToString(), difference.Text,
                message = difference.Message is { } message ? new
                {
                    message.From, kind = message.Kind.Word(), method = names.NameOf(message.MethodId), message.Time, message.Arguments,
                } : null,
                expected = difference.Expected.Select(sent => MessageText.Line(sent, names)),
                actual = difference.Actual.Select(sent => MessageText.Line(sent, names)),
            }),
        };
    }

    /// <summary>For pipelines: one test case, and one more for each difference described.</summary>
    public static string JUnit(RetroactiveReport report, MethodNames names)
    {
        ArgumentNullException.ThrowIfNull(report);
        string suite = $"retest {report.Instance}";
        var cases = report.Differences.Select(difference => new XElement("testcase",
            new XAttribute("classname", suite), new XAttribute("name", Head(difference, names)),
            new XElement("failure", new XAttribute("type", difference.Kind.ToString()), new XAttribute("message", difference.Text),
                Sides(difference, names))));
        var whole = new XElement("testcase", new XAttribute("classname", suite),
            new XAttribute("name", $"{Counted.Of(report.Messages, "message")} from {report.From} to {report.To}"));
        if (!report.IsSame)
        {
            whole.Add(new XElement("failure", new XAttribute("message", Counted.Of(report.DifferenceCount, "difference"))));
        }

        return new XDocument(new XElement("testsuite",
            new XAttribute("name", suite), new XAttribute("tests", report.Differences.Count + 1),
            new XAttribute("failures", report.IsSame ? 0 : report.Differences.Count + 1),
            new XAttribute("time", report.Elapsed.TotalSeconds.ToString("0.###", CultureInfo.InvariantCulture)), whole, cases)).ToString();
    }

    private static string Recovered(RetroactiveReport report) => report.Recoveries == 0 ? ""
        : $"; {Counted.Of(report.Recoveries, "time")} saved, started anew and loaded";

    private static string Head(Difference difference, MethodNames names) => difference.Message is { } message
        ? $"{difference.At} {difference.Kind}: {message.From} → {message.Kind.Word()} "
            + $"{names.NameOf(message.MethodId)} {message.Arguments}"
        : $"{difference.At} {difference.Kind}";

    private static void AppendFirst(StringBuilder text, Difference first, MethodNames names)
    {
        text.Append(CultureInfo.InvariantCulture, $"first: {Head(first, names)}\n    {first.Text}\n");
        text.Append(Sides(first, names)).Append('\n');
    }

    private static string Sides(Difference difference, MethodNames names)
    {
        if (difference.Expected.Count == 0 && difference.Actual.Count == 0)
        {
            return "";
        }

        var text = new StringBuilder().Append("    ").Append("before".PadRight(Column)).Append(" | now\n");
        for (int i = 0; i < Math.Max(difference.Expected.Count, difference.Actual.Count); i++)
        {
            string before = Line(difference.Expected, i, names);
            string now = Line(difference.Actual, i, names);
            text.Append(before == now ? "    " : "  ! ").Append(before.PadRight(Column)).Append(" | ").Append(now).Append('\n');
        }

        return text.ToString();
    }

    private static string Line(IReadOnlyList<SentMessage> messages, int index, MethodNames names) =>
        index < messages.Count ? MessageText.Line(messages[index], names) : "-";

    private static void AppendCounts(StringBuilder text, RetroactiveReport report, MethodNames names)
    {
        if (report.ByMethod.Count > 0)
        {
            text.Append("\nby method:\n");
            foreach ((int method, long count) in report.ByMethod.OrderByDescending(static method => method.Value))
            {
                text.Append(CultureInfo.InvariantCulture, $"  {count,10:N0}  {names.NameOf(method)}\n");
            }
        }
    }
}
