using System.Globalization;
using Microsoft.Extensions.Logging;

namespace Ambrosia.Runtime;

/// <summary>What the host of an app gives to what runs outside of turns.</summary>
internal record OutsideSettings
{
    /// <summary>Wall clock: arms timers, never seen by handlers.</summary>
    public TimeProvider Time { get; init; } = TimeProvider.System;

    /// <summary>Finds a time zone by its id, for schedules; never asked by handlers.</summary>
    public Func<string, TimeZoneInfo> TimeZones { get; init; } = TimeZoneInfo.FindSystemTimeZoneById;

    /// <summary>The app's log.</summary>
    public required ILogger Logger { get; init; }

    /// <summary>How effects are performed.</summary>
    public EffectSettings Effects { get; init; } = EffectSettings.None;

    /// <summary>The app's culture, which is not that of turns.</summary>
    public CultureInfo Culture { get; init; } = CultureInfo.CurrentCulture;

    /// <summary>The app's culture for texts that people read.</summary>
    public CultureInfo UICulture { get; init; } = CultureInfo.CurrentUICulture;
}
