namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>In what a version of the kiosk differs from the one that wrote its log.</summary>
public enum KioskChange
{
    None,
    OneMore,
    OneLess,
    OtherArguments,
}
