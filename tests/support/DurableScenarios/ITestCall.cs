namespace Ambrosia.DurableScenarios;

/// <summary>A pending call that knows the reply it will get.</summary>
internal interface ITestCall
{
    void Deliver(World world);
}
