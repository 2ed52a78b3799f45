using System.Reflection;
using System.Text;
using Ambrosia.Runtime;

namespace Ambrosia.Hosting;

/// <summary>
/// Which effects the code of an immortal's class asks for: found in its methods, since an interface of effects names no asker.
/// </summary>
internal sealed class EffectUses : ICodeMembers
{
    private const BindingFlags All =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private readonly HashSet<Type> _found = [];

    private EffectUses()
    {
    }

    /// <summary>Throws unless something performs what the immortal asks for.</summary>
    /// <exception cref="OptionException">Nothing is registered for an interface.</exception>
    public static void Require(Type immortal, EffectPerformers performers)
    {
        foreach (EffectContract contract in Of(immortal).Where(contract => !performers.Has(contract.InterfaceType)))
        {
            throw new OptionException($"Nothing performs the effects of {contract.InterfaceName}, for which {immortal.FullName} asks: "
                + $"register a class with options.UseEffects<{contract.InterfaceType.Name}>(...), or as a service of the host.");
        }
    }

    /// <summary>The interfaces whose effects a class asks for by <c>Effects&lt;T&gt;()</c>, in the order of their names.</summary>
    public static IReadOnlyList<EffectContract> Of(Type immortal)
    {
        var uses = new EffectUses();
        for (Type? level = immortal; level is not null && level != typeof(Immortal); level = level.BaseType)
        {
            uses.Read(level.IsGenericType ? level.GetGenericTypeDefinition() : level);
        }

        return [.. uses._found.Select(static type => ((ImmortalEffects)Activator.CreateInstance(type)!).GetContract())
            .OrderBy(static contract => contract.InterfaceName, StringComparer.Ordinal)];
    }

    void ICodeMembers.Found(MemberInfo member)
    {
        if (member is MethodInfo { IsGenericMethod: true, Name: "Effects" } method && method.DeclaringType == typeof(Immortal)
            && method.GetGenericArguments()[0] is { ContainsGenericParameters: false } effects)
        {
            _found.Add(effects);
        }
    }

    string ICodeMembers.NameOf(MemberInfo member) => member.Name;

    // Only the class itself, those that it is derived from and the types inside them can call it: it is protected.
    private void Read(Type type)
    {
        foreach (MethodBase method in type.GetMethods(All).Concat<MethodBase>(type.GetConstructors(All)))
        {
            MethodFingerprint.AppendBody(new StringBuilder(), method, "", this);
        }

        foreach (Type nested in type.GetNestedTypes(All))
        {
            Read(nested);
        }
    }
}
