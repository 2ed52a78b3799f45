namespace Ambrosia.TimeTravel.Tests.Apps;

/// <summary>One thing that a new version does otherwise.</summary>
public enum PlantedChange
{
    None,
    OneMore,
    OneLess,
    OtherDestination,
    OtherOrder,
    OtherMethod,
    OtherContent,
    OtherResult,
    ExceptionInsteadOfValue,
    Fault,
    State,
    SilentState,
}
