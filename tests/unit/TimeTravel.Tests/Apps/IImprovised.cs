namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Methods whose bodies are drawn by lot.</summary>
[ImmortalInterface]
public interface IImprovised
{
    [Impulse]
    void Begin(long number);

    long Work(long number, string text);

    void Note(string text);

    long Fail(string reason);
}
