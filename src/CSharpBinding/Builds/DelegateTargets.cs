using System.Reflection;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>Finds the methods that code makes delegates of: lambdas, local functions and methods that are named without a call.</summary>
internal static class DelegateTargets
{
    /// <summary>Those in the code of some types; what cannot be read is left out.</summary>
    public static IReadOnlyCollection<MethodInfo> In(IEnumerable<Type> types)
    {
        var found = new HashSet<MethodInfo>();
        foreach (Type type in types)
        {
            MethodBase[] all = [.. Deployed(() => type.GetMethods(OwnCode.All)), .. Deployed(() => type.GetConstructors(OwnCode.All))];
            foreach (MethodBase method in all)
            {
                found.UnionWith(Deployed(() => MethodFingerprint.DelegateTargetsOf(method)));
            }
        }

        return found;
    }

    // What mentions a type that is not deployed cannot be executed.
    private static T[] Deployed<T>(Func<T[]> members)
    {
        try
        {
            return members();
        }
        catch (Exception error) when (error is IOException or TypeLoadException or MissingMemberException or BadImageFormatException
            or NotSupportedException or ArgumentException)
        {
            return [];
        }
    }
}
