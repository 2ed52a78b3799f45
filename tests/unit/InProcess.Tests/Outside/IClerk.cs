namespace Ambrosia.InProcess.Tests.Outside;

public sealed record Decision(bool Approved, decimal Limit, Colour Colour = Colour.Red, string? Note = null);

public sealed record Place(string Street);

/// <summary>Waits for people.</summary>
[ImmortalInterface]
public interface IClerk
{
    /// <summary>Opens a question, and gives its address.</summary>
    [Impulse] string Ask(string name, int seconds = 0);

    /// <summary>The same, about a number.</summary>
    [Impulse] string Count(string name);

    /// <summary>The same, about a place that need not be.</summary>
    [Impulse] string Find(string name);

    /// <summary>Closes a question; false if it was over.</summary>
    [Impulse] bool Withdraw(string name);

    /// <summary>What came of all questions, in the order in which they were answered.</summary>
    [Impulse] string[] Outcomes();
}
