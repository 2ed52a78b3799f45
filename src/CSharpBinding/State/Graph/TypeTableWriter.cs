using System.Reflection;

namespace Ambrosia.Runtime;

/// <summary>Writes what identifies a type; see <see cref="TypeForm"/>.</summary>
internal static class TypeTableWriter
{
    public static void Define(WriteSession session, GraphOptions options, Type type)
    {
        if (TypeNames.TryGetPrimitive(type, out Primitive primitive))
        {
            session.WriteByte((byte)primitive);
        }
        else if (type.IsArray)
        {
            session.WriteByte((byte)TypeForm.Array);
            session.WriteByte(type.IsSZArray ? (byte)0 : (byte)type.GetArrayRank());
            session.WriteType(type.GetElementType()!);
        }
        else if (type.IsConstructedGenericType)
        {
            Type[] arguments = type.GetGenericArguments();
            session.WriteByte((byte)TypeForm.Generic);
            session.WriteType(type.GetGenericTypeDefinition());
            session.WriteByte((byte)arguments.Length);
            foreach (Type argument in arguments)
            {
                session.WriteType(argument);
            }
        }
        else
        {
            WriteDefinition(session, options, type);
        }
    }

    private static void WriteDefinition(WriteSession session, GraphOptions options, Type type)
    {
        type = options.Succession?.Of(type) ?? type;
        bool framework = TypeNames.IsFramework(type.Assembly) && !options.Contains(type.Assembly);
        if (!framework && !options.Contains(type.Assembly))
        {
            throw new UnsavableTypeException(type,
                $"its assembly {type.Assembly.GetName().Name} is not one that the immortal's assembly refers to, so its name could not be "
                + $"looked up on recovery.");
        }
        string assembly = framework ? "" : type.Assembly.GetName().Name!;
        if (GeneratedName.KindOf(type) != GeneratedKind.None)
        {
            WriteGenerated(session, options, type);
        }
        else if (GeneratedName.IsAnonymous(type))
        {
            string[] properties = [.. MethodFingerprint.AnonymousProperties(type)];
            session.WriteByte((byte)TypeForm.Anonymous);
            session.WriteText(assembly);
            session.WriteByte((byte)properties.Length);
            foreach (string property in properties)
            {
                session.WriteText(property);
            }
        }
        else
        {
            session.WriteByte((byte)TypeForm.Named);
            session.WriteText(assembly);
            session.WriteText(type.FullName!);
        }
    }

    private static void WriteGenerated(WriteSession session, GraphOptions options, Type type)
    {
        ContinuationIdentity identity = options.Succession?.IdentityOf(type) ?? ContinuationIdentity.Of(type);
        session.WriteByte((byte)TypeForm.Generated);
        session.WriteType(type.DeclaringType!);
        session.WriteByte((byte)identity.Kind);
        session.WriteText(identity.Method);
        session.WriteText(identity.Fingerprint);
        session.WriteText(identity.Lambdas);
        session.WriteVarint((ulong)identity.Twin);
    }
}
