namespace Ambrosia.CSharpBinding.Tests.Runtime;

/// <summary>Declares what its methods throw.</summary>
[ImmortalInterface]
[Throws(typeof(NoMoneyException))]
[Throws(typeof(CircularException))]
internal interface IThrowing
{
    [Throws(typeof(LockedException))]
    void Deposit();
}
