namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Makes a round each second.</summary>
[ImmortalInterface]
public interface IWatchman
{
    [Impulse]
    void Begin(string zone);

    [Impulse]
    int Rounds();

    void Look(string where);
}
