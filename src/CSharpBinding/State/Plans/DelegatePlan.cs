using System.Reflection;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>
/// A delegate: its targets and methods. A lambda is known by its code, as a suspended method is; any other method by name and signature.
/// Only methods of the application's assemblies: a saved state must not be able to name any method there is.
/// </summary>
internal sealed class DelegatePlan(Type type) : ObjectPlan
{
    private const BindingFlags AllMethods =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    public override Type Type => type;

    public override bool HasBody => false;

    public override void WriteSchema(WriteSession session) => session.WriteByte((byte)Category.Delegate);

    public override void WriteHeader(WriteSession session, object value)
    {
        Delegate[] targets = ((Delegate)value).GetInvocationList();
        session.WriteVarint((ulong)targets.Length);
        foreach (Delegate target in targets)
        {
            MethodInfo method = target.Method;
            if (method.DeclaringType is not { } declaring || TypeNames.IsFramework(declaring.Assembly) || method.IsGenericMethod)
            {
                throw new UnsavableTypeException(type, "only delegates to the application's own, not generic methods can be saved.");
            }
            session.WriteReference(target.Target);
            session.WriteType(declaring);
            session.WriteText(GeneratedName.Normalize(method.Name, ""));
            session.WriteText(Fingerprint(method));
        }
    }

    public override string? Match(SavedType saved) => saved.Category == Category.Delegate ? null : "it is a delegate now";

    public override object Allocate(ReadSession session, SavedType saved)
    {
        Delegate? made = null;
        for (int left = session.ReadCount(4, "the targets of a delegate"); left > 0; left--)
        {
            object? target = null;
            Codec<object?>.Read(session, ref target);
            SavedType declaring = session.ReadType();
            string name = session.ReadText();
            string fingerprint = session.ReadText();
            if (Find(session, declaring, name, fingerprint) is { } method)
            {
                made = Delegate.Combine(made, Delegate.CreateDelegate(type, method.IsStatic ? null : target, method));
            }
        }
        // Only after a refusal, which the end of the reading throws.
        return made ?? (object)new MissingObject(saved, 0);
    }

    private static MethodInfo? Find(ReadSession session, SavedType declaring, string name, string fingerprint)
    {
        if (declaring.Resolved is { } type && session.IsApplication(type.Assembly))
        {
            MethodInfo? found = type.GetMethods(AllMethods).FirstOrDefault(method =>
                GeneratedName.Normalize(method.Name, "") == name && Fingerprint(method) == fingerprint);
            if (found is not null)
            {
                return found;
            }
        }
        session.Refuse($"{declaring.Description}: a delegate was saved to its method {name} with fingerprint "
            + $"{ContinuationIdentity.Short(fingerprint)}, which is not in this build");
        return null;
    }

    private static string Fingerprint(MethodInfo method)
    {
        StringBuilder text = new();
        text.Append(MethodFingerprint.Name(method.ReturnType, "")).Append('(')
            .AppendJoin(',', method.GetParameters().Select(parameter => MethodFingerprint.Name(parameter.ParameterType, ""))).Append(")\n");
        if (GeneratedName.IsGenerated(method))
        {
            MethodFingerprint.AppendBody(text, method, "");
        }
        return ContinuationIdentity.Hash(text.ToString());
    }
}
