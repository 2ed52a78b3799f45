using Ambrosia.Protocol;
using Ambrosia.Runtime;
using Ambrosia.Telemetry;

namespace Ambrosia.Sessions;

/// <summary>Counts what a recovery takes, for the one line that tells of it.</summary>
internal sealed class SessionProgress(RuntimeSettings settings)
{
    private readonly long _start = settings.Time.GetTimestamp();
    private long _records;
    private long _messages;

    /// <summary>A record was executed.</summary>
    public void CountRecord(int messages)
    {
        _records++;
        _messages += messages;
    }

    /// <summary>The immortal is about to act: says so in one line.</summary>
    public void Report(ImmortalRuntime runtime)
    {
        BindingWelcome welcome = runtime.Welcome;
        if (welcome.Mode == BindingMode.FirstStart)
        {
            BindingLog.FirstStart(settings.Logger, welcome.Instance, welcome.Epoch);
        }
        else
        {
            TimeSpan duration = settings.Time.GetElapsedTime(_start);
            BindingMeter.Recovered(welcome.Instance, duration, _messages);
            BindingLog.Recovered(settings.Logger, welcome.Instance, duration.TotalMilliseconds, _records, _messages, welcome.Epoch);
        }
    }
}
