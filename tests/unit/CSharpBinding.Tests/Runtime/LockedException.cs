namespace Ambrosia.CSharpBinding.Tests.Runtime;

internal sealed class LockedException(int until) : Exception
{
    public int Until => until;
}
