namespace TimeTravelApp;

/// <summary>In what a dice differs from run to run; everything that the guide warns of, one each.</summary>
public enum Fickleness
{
    None,
    Clock,
    Ticks,
    RandomNumber,
    Identifier,
    HashCode,
    ProcessNumber,
    Thread,
    OrderOfHashSet,
    StaticField,
    UnsavedField,
    Environment,
    Death,
}
