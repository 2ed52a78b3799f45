namespace Ambrosia.Simulation.Tests;

/// <summary>What goes wrong with one attempt to perform an effect.</summary>
internal enum OutsideFault
{
    None,

    /// <summary>It fails before anything is done, with an exception that may pass.</summary>
    FailBefore,

    /// <summary>It is performed, and fails all the same.</summary>
    FailAfter,

    /// <summary>It is performed twice under one id.</summary>
    Repeat,

    /// <summary>It does nothing for longer than an attempt may take.</summary>
    Hang,

    /// <summary>It is performed, and the answer comes when nobody waits for it any more.</summary>
    HangAfter,

    /// <summary>The app's process dies before anything is done.</summary>
    DieBefore,

    /// <summary>It is performed, and the app's process dies before the outcome has left it.</summary>
    LoseOutcome,

    /// <summary>The same, and the coordinator's process dies, too.</summary>
    LoseOutcomeAndCoordinator,
}
