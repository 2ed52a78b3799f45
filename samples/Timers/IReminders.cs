using Ambrosia;

namespace Timers;

/// <summary>Reminds people. Both impulses come from the keyboard; their results go back to the console.</summary>
[ImmortalInterface]
public interface IReminders
{
    /// <summary>Remember to say <paramref name="text"/> after so many seconds.</summary>
    [Impulse]
    string Remind(double seconds, string text);

    /// <summary>What is still to come, and how many reminders have been given.</summary>
    [Impulse]
    string List();

    /// <summary>Waits for one reminder's time; a call to itself, through the log.</summary>
    void Wait(int id);
}
