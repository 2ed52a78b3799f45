using Ambrosia;

namespace TypeScriptClient;

/// <summary>What clients in JavaScript call: a count that shows each execution, and values of every kind.</summary>
[ImmortalInterface]
public interface IShop
{
    /// <summary>Adds to the total, and notes that the call with this name was executed once more.</summary>
    [Impulse]
    long Add(string name, long amount = 1);

    /// <summary>Names of calls that were executed more than once, and how many there were in all.</summary>
    [Impulse, Query]
    Tally Count();

    [Impulse]
    Parcel Echo(Parcel parcel);

    [Impulse]
    [Throws(typeof(NoRoomException))]
    void Fail(int room);

    /// <summary>The address at which somebody answers.</summary>
    [Impulse]
    string Ask(string question);

    [Impulse]
    string AnswerOf(string question);

    [Impulse]
    string Mark(string text);

    [Impulse]
    long Mark(long number);

    [Impulse]
    bool Then(bool @default);

    [Impulse]
    void Delete();
}
