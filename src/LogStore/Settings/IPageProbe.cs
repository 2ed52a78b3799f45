namespace Ambrosia.LogStore.Settings;

/// <summary>
/// Lets a test decide which thread takes the next step where threads meet: pages, their appender, the committer. Absent in production.
/// </summary>
internal interface IPageProbe
{
    /// <summary>Called before each access to the state that threads share.</summary>
    void BeforeStep();

    /// <summary>Called before this lock is taken; the lock is free when the call returns.</summary>
    void BeforeLock(object gate);

    /// <summary>The page was handed over.</summary>
    void HandedOver();
}
