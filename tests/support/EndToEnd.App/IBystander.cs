using Ambrosia;

namespace EndToEnd;

/// <summary>The other immortal of a host that has two.</summary>
[ImmortalInterface]
public interface IBystander
{
    void Nothing();

    /// <summary>Opens a question to people, and gives its address.</summary>
    [Impulse] string Ask(string question);

    /// <summary>What they have answered, in that order.</summary>
    [Impulse] string[] Answers();
}
