using System.Reflection;

namespace Ambrosia.PlantedBugs;

/// <summary>Stands in for the object to which an xunit test writes its lines, whatever version of xunit it was built with.</summary>
public class TestOutput : DispatchProxy
{
    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        Console.WriteLine(args is [string format, object[] values]
            ? string.Format(System.Globalization.CultureInfo.InvariantCulture, format, values) : args?[0]);
        return null;
    }
}
