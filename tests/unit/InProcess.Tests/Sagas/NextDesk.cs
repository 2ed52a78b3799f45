namespace Ambrosia.InProcess.Tests.Sagas;

/// <summary>The version after <see cref="Desk"/>, which has the same handlers.</summary>
public sealed class NextDesk : Desk
{
    public NextDesk()
    {
    }

    public NextDesk(Desk older) => Seen.AddRange(older.Seen);
}
