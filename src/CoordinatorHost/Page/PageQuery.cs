using System.Globalization;
using Ambrosia.Inspection;
using Ambrosia.Inspection.Log;
using Ambrosia.Inspection.Search;
using Ambrosia.Inspection.Text;
using Microsoft.AspNetCore.Http;

namespace Ambrosia.CoordinatorHost.Page;

/// <summary>What a request asks for, read from its query; what is missing or no number has a default.</summary>
internal readonly struct PageQuery(IQueryCollection query)
{
    /// <summary>A text; empty when it is missing.</summary>
    public string Text(string name) => query[name].ToString();

    /// <summary>A whole number within bounds.</summary>
    public long Whole(string name, long otherwise, long least, long most) =>
        long.TryParse(query[name], NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out long number)
        ? Math.Clamp(number, least, most) : otherwise;

    /// <summary>A number that counts messages on a connection; 0 when it is missing.</summary>
    public ulong Number(string name) =>
        ulong.TryParse(query[name], NumberStyles.None, CultureInfo.InvariantCulture, out ulong number) ? number : 0;

    /// <summary>A time, given as milliseconds since 1970, in ticks.</summary>
    public long Ticks(string name, long otherwise) =>
        double.TryParse(query[name], NumberStyles.Float, CultureInfo.InvariantCulture, out double milliseconds)
        && Math.Abs(milliseconds) < 1e14
            ? DateTime.UnixEpoch.Ticks + (long)(milliseconds * TimeSpan.TicksPerMillisecond)
            : otherwise;

    /// <summary>Ticks as milliseconds since 1970, as scripts count.</summary>
    public static double Milliseconds(long ticks) => (ticks - DateTime.UnixEpoch.Ticks) / (double)TimeSpan.TicksPerMillisecond;

    /// <summary>The filter that it describes; the search for a text is advanced on the way.</summary>
    public async ValueTask<MessageFilter> FilterAsync(PageLog log)
    {
        int kinds = 0;
        foreach (string kind in Text("kinds").Split(',', StringSplitOptions.RemoveEmptyEntries))
        {
            int number = Array.IndexOf(MessageKinds.Words, kind);
            kinds |= number < 0 ? 0 : 1 << number;
        }

        int[] methods = [.. Text("methods").Split(',', StringSplitOptions.RemoveEmptyEntries)
            .Select(static id =>
                int.TryParse(id, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int number) ? number : 0)];
        string sender = Text("sender");
        string text = Text("text");
        return new MessageFilter(
            Text("kinds").Length == 0 ? MessageKinds.All : kinds,
            methods.Length == 0 ? null : [.. methods],
            sender.Length == 0 ? null : log.Index.SenderNumber(sender),
            text.Length == 0 ? null : await log.SearchAsync(text));
    }
}
