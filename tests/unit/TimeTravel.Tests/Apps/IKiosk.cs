namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>Sells things, and has a receipt printed for each.</summary>
[ImmortalInterface]
public interface IKiosk
{
    [Impulse]
    void Sell(string what, int copies);
}
