using System.Globalization;

namespace Ambrosia.InProcess.Tests.Schedules;

/// <summary>Notes each occurrence of its schedules.</summary>
public class Nightly : NightlyBase
{
    private NightlyProxy? _kept;

    /// <summary>What ran: due, note, how many were left out before.</summary>
    public List<string> Seen { get; } = [];

    public override DurableTask Plan(string name, string expression, string zone, Missed missed, string note)
    {
        This.Every(name, expression, zone, missed).RunFork(note);
        return default;
    }

    public override DurableTask PlanUtc(string name, string expression, string note)
    {
        This.Every(name, expression).RunFork(note);
        return default;
    }

    public override DurableTask<bool> Cancel(string name) => CancelSchedule(name);

    public override async DurableTask Run(string note)
    {
        string text = Occurrence is { } occurrence
            ? string.Create(CultureInfo.InvariantCulture, $"{occurrence.Due:MM-dd HH:mm:ss} {note} {occurrence.LeftOut}")
            : $"called {note}";
        if (LogTime < Occurrence?.Due)
        {
            text += " early";
        }

        if (note == "fail")
        {
            Seen.Add(text);
            throw new InvalidOperationException("as told");
        }

        if (note == "slow")
        {
            await Delay(TimeSpan.FromSeconds(1));
            text += Occurrence is null ? "" : " kept";
        }

        Seen.Add(text);
    }

    public override async DurableTask<string> Misuse(string how)
    {
        try
        {
            switch (how)
            {
                case "expression":
                    This.Every("n", "0 25 * * *").RunFork("");
                    break;
                case "never":
                    This.Every("n", "0 0 30 2 *").RunFork("");
                    break;
                case "fields":
                    This.Every("n", "* *").RunFork("");
                    break;
                case "jitter":
                    This.Every("n", "H 3 * * *").RunFork("");
                    break;
                case "name":
                    This.Every("", "* * * * *").RunFork("");
                    break;
                case "awaited":
                    await This.Every("n", "* * * * *").RunAsync("");
                    break;
                case "twice":
                    NightlyProxy twice = This.Every("n", "* * * * *");
                    twice.RunFork("");
                    twice.RunFork("");
                    break;
                case "other":
                    Proxy<NightlyProxy>("other").Every("n", "* * * * *").RunFork("");
                    break;
                case "policy":
                    This.Every("n", "* * * * *", "UTC", (Missed)7).RunFork("");
                    break;
                case "nothing":
                    This.Every("n", "* * * * *");
                    break;
                case "nobody":
                    CancelSchedule(null!);
                    break;
                case "later":
                    NightlyProxy later = This.Every("n", "* * * * *");
                    This.Every("other", "* * * * *").RunFork("");
                    await Delay(TimeSpan.FromSeconds(1));
                    later.RunFork("");
                    break;
                case "kept":
                    _kept = This.Every("n", "* * * * *");
                    TakeCheckpoint();
                    break;
            }

            return _kept is null ? "" : "kept";
        }
        catch (Exception error) when (error is FormatException or InvalidOperationException or ArgumentException)
        {
            return $"{error.GetType().Name}: {error.Message}";
        }
    }

    public override DurableTask<string> Look(string name) => Describe(name);

    public override DurableTask<string> Peek(string name) => Describe(name);

    private string Describe(string name) => Schedules.SingleOrDefault(schedule => schedule.Name == name) is { } found
        ? string.Create(CultureInfo.InvariantCulture,
            $"{found.Expression} {found.TimeZone} {found.Missed} next {found.Next:MM-dd HH:mm:ss} runs {found.Runs} left out "
            + $"{found.LeftOut}{(found.Trouble.Length > 0 ? "; " : "")}{found.Trouble}")
        : "none";
}
