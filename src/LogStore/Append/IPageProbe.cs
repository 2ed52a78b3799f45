namespace Ambrosia.LogStore.Append;

/// <summary>Lets a test decide which thread takes the next step on a page. Absent in production.</summary>
internal interface IPageProbe
{
    /// <summary>Called before each access to the state that threads share.</summary>
    void BeforeStep();

    /// <summary>The page was handed over.</summary>
    void HandedOver();
}
