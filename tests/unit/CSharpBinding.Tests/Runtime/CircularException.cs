namespace Ambrosia.CSharpBinding.Tests.Runtime;

internal sealed class CircularException : Exception
{
    public List<object> Itself
    {
        get
        {
            var list = new List<object>();
            list.Add(list);
            return list;
        }

        set => _ = value;
    }
}
