namespace Ambrosia.TimeTravel;

/// <summary>A live instance deleted meanwhile what was to be read next.</summary>
public sealed class RecordsGoneException(string message) : ReplayException(message)
{
}
