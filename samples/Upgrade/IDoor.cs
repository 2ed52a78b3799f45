using Ambrosia;

namespace Upgrade;

/// <summary>Where the visitors come from. Nobody calls it.</summary>
[ImmortalInterface]
public interface IDoor
{
    long Visitors();
}
