namespace Ambrosia.CSharpBinding.Tests.Runtime;

internal sealed class UndeclaredException : Exception
{
    public int Number { get; set; } = 4;
}
