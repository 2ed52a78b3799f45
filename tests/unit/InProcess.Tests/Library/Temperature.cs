namespace Ambrosia.InProcess.Tests.Library;

/// <summary>A type of somebody else's, without attributes, whose value a resolver alone can take and set.</summary>
public readonly struct Temperature
{
    private readonly int _tenths;

    private Temperature(int tenths) => _tenths = tenths;

    public static Temperature FromTenths(int tenths) => new(tenths);

    public int ToTenths() => _tenths;
}
