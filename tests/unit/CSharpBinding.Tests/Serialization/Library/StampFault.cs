namespace Ambrosia.CSharpBinding.Tests.Serialization.Library;

/// <summary>What a formatter or resolver of the app's does wrong.</summary>
public enum StampFault
{
    None,
    Throws,
    WritesNothing,
    WritesTwice,
    WritesHalf,
    ReadsNothing,
    ReadsBeyond,
    MakesNull,
    ResolverThrows,
}
