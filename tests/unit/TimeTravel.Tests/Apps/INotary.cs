namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Waits for people.</summary>
[ImmortalInterface]
public interface INotary
{
    /// <summary>Opens a question, and gives its address.</summary>
    [Impulse] string Ask(string what);
}
