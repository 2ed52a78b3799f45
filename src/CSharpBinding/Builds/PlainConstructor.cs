using System.Reflection;
using System.Text;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>
/// Knows the constructors that do nothing but put each parameter into the property of its name, as those of records do: another parameter
/// changes nothing for the ones that were there.
/// </summary>
internal static class PlainConstructor
{
    /// <summary>Whether it is one.</summary>
    public static bool Is(ConstructorInfo constructor)
    {
        var text = new StringBuilder();
        var fields = new Fields();
        try
        {
            MethodFingerprint.AppendBody(text, constructor, "", fields);
        }
        catch (Exception error) when (error is IOException or TypeLoadException or MissingMemberException or BadImageFormatException)
        {
            return false;
        }

        string[] operations =
        [
            .. text.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(static line => line.Split(' ')[0])
                .Where(static operation => operation != "nop"),
        ];
        int parameters = constructor.GetParameters().Length;
        string[] assignments = [.. Enumerable.Range(1, parameters).SelectMany(static i =>
            new[] { "ldarg.0", i < 4 ? $"ldarg.{i}" : "ldarg.s", "stfld" })];
        string[] callsBase = constructor.DeclaringType!.IsValueType ? [] : ["ldarg.0", "call"];
        return (operations.SequenceEqual([.. assignments, .. callsBase, "ret"])
                || operations.SequenceEqual([.. callsBase, .. assignments, "ret"]))
            && fields.Base.TrueForAll(static made => made.DeclaringType == typeof(object) || Is(made))
            && fields.Names.SequenceEqual(constructor.GetParameters().Select(static parameter => $"<{parameter.Name}>k__BackingField"));
    }

    private sealed class Fields : ICodeMembers
    {
        public List<string> Names { get; } = [];

        public List<ConstructorInfo> Base { get; } = [];

        public void Found(MemberInfo member)
        {
            if (member is FieldInfo field)
            {
                Names.Add(field.Name);
            }
            else if (member is ConstructorInfo called)
            {
                Base.Add(called);
            }
        }

        public string NameOf(MemberInfo member) => member.Name;
    }
}
