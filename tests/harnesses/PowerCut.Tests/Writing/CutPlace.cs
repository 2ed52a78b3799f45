namespace Ambrosia.PowerCut.Tests.Writing;

/// <summary>Where the power goes, seen from the call that is waited for.</summary>
internal enum CutPlace
{
    Before,
    During,
    After,
}
