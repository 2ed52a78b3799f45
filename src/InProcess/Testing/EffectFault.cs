namespace Ambrosia.Testing;

/// <summary>What <see cref="ImmortalTestHost.Fail"/> lets happen to an attempt to perform an effect.</summary>
public enum EffectFault
{
    /// <summary>It is performed, and then app and coordinator die before its outcome is in the log; they are started again.</summary>
    LoseOutcome,

    /// <summary>It is performed twice under one id, as by two processes at once.</summary>
    Repeat,

    /// <summary>It is not performed: the attempt fails with an exception that may pass (an <see cref="IOException"/>).</summary>
    Throw,

    /// <summary>It is not performed and does not end until its time is up.</summary>
    Hang,

    /// <summary>App and coordinator die before it is performed; they are started again.</summary>
    KillProcess,
}
