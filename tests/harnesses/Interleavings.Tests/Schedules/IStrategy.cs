namespace Ambrosia.Interleavings.Tests.Schedules;

/// <summary>Decides who moves next.</summary>
public interface IStrategy
{
    /// <summary>One of the able, by its number. The present one is among them if it can go on; -1 if it cannot.</summary>
    int Choose(IReadOnlyList<int> able, int present);

    /// <summary>Begins another schedule; false when there is none left.</summary>
    bool Next();

    /// <summary>What repeats the present schedule, for a failure's message.</summary>
    string Describe();
}
