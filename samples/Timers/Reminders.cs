using System.Globalization;
using Ambrosia;
using Microsoft.Extensions.Logging;

namespace Timers;

/// <summary>Each reminder is a handler that is suspended on a durable timer. Kill the process: the timers go on in the next one, none is
/// lost, none fires twice.</summary>
public sealed class Reminders : RemindersBase
{
    private readonly DurableDictionary<int, Reminder> _pending = [];
    private int _lastId;
    private int _given;

    public override DurableTask<string> Remind(double seconds, string text)
    {
        if (seconds is not (> 0 and <= 86400))
        {
            return $"{seconds} is not a time: write seconds, at most a day's";
        }

        int id = ++_lastId;
        _pending.Add(id, new Reminder(text, LogTime + TimeSpan.FromSeconds(seconds)));
        This.WaitFork(id);
        return string.Create(CultureInfo.InvariantCulture, $"will say '{text}' in {seconds} s");
    }

    public override async DurableTask Wait(int id)
    {
        Reminder reminder = _pending[id];
        if (reminder.Due > LogTime)
        {
            await Delay(reminder.Due - LogTime);
        }

        _pending.Remove(id);
        _given++;
        Log.LogInformation("reminder: {Text}", reminder.Text);
    }

    public override DurableTask<string> List() =>
        $"{_pending.Count} to come, {_given} given"
        + $"{string.Concat(_pending.Values.Select(static reminder => $"; {reminder.Text} at {reminder.Due:HH:mm:ss}"))}";

    protected override void BecomingPrimary(ImmortalContext context) => _ = Keyboard.ServeAsync(This, context);
}
