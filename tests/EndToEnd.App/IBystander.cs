using Ambrosia;

namespace EndToEnd;

/// <summary>The other immortal of a host that has two.</summary>
[ImmortalInterface]
public interface IBystander
{
    void Nothing();
}
