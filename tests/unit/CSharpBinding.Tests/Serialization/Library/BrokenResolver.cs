namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>Cannot be made.</summary>
internal sealed class BrokenResolver : StampResolver
{
    public BrokenResolver()
        : base(1) => throw new InvalidOperationException("no paper in stock");
}
