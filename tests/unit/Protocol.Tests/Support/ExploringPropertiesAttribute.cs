using FsCheck.Xunit;

namespace Ambrosia.Protocol.Tests.Support;

/// <summary>Properties that are tried with few values in <c>./test.sh</c>, and with thousands in a full run.</summary>
[AttributeUsage(AttributeTargets.Class)]
internal sealed class ExploringPropertiesAttribute : PropertiesAttribute
{
    public ExploringPropertiesAttribute() => MaxTest = Extent.Of(everyday: 400, full: 2_000, soak: 20_000);
}
