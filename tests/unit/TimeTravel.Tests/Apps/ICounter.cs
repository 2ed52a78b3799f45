namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Counts, and tells two others.</summary>
[ImmortalInterface]
public interface ICounter
{
    long Count(string name, long by);

    long Twice(string name, long by);

    void Report(string text);

    void Alarm(string text);

    [Impulse]
    void Tick(string name, long by);
}
