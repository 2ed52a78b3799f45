namespace Ambrosia.Upgrading;

/// <summary>What a session needs to convert the state of other classes of its immortal.</summary>
/// <param name="Conversions">What the app has registered; may be empty.</param>
/// <param name="Create">A fresh object of the app's own class.</param>
/// <param name="Replaces">The app is to become its own class, and to replace an app that is attached; else it goes on with the
/// state that it finds, by that class's code.</param>
/// <param name="Services">The app's services; empty if it has none.</param>
internal sealed record UpgradeSettings(
    IReadOnlyList<Conversion> Conversions, Func<Immortal> Create, bool Replaces, IServiceProvider Services);
