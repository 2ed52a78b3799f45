using System.Reflection;
using System.Reflection.Emit;

namespace Ambrosia.Runtime;

/// <summary>
/// Emits, for one type, the calls of <see cref="Codec{T}.Write"/> and <see cref="Codec{T}.Read"/> for each of its fields, private and
/// readonly ones included.
/// </summary>
internal static class FieldEmitter
{
    public static ClassAccess ForClass(FieldSet fields) => new(
        Emit<Action<WriteSession, object>>(fields, typeof(WriteSession), typeof(object), nameof(Codec<int>.Write)),
        Emit<Action<ReadSession, object>>(fields, typeof(ReadSession), typeof(object), nameof(Codec<int>.Read)));

    public static StructAccess<T> ForStruct<T>(FieldSet fields)
        where T : struct => new(
            Emit<StructWriter<T>>(fields, typeof(WriteSession), typeof(T).MakeByRefType(), nameof(Codec<int>.Write)),
            Emit<StructReader<T>>(fields, typeof(ReadSession), typeof(T).MakeByRefType(), nameof(Codec<int>.Read)));

    private static TDelegate Emit<TDelegate>(FieldSet fields, Type session, Type target, string method)
        where TDelegate : Delegate
    {
        DynamicMethod emitted =
            new($"{method} {fields.Type.Name}", typeof(void), [session, target], typeof(FieldEmitter).Module, skipVisibility: true);
        ILGenerator il = emitted.GetILGenerator();
        foreach (FieldPlan field in fields.Fields)
        {
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Ldarg_1);
            il.Emit(OpCodes.Ldflda, field.Field);
            il.Emit(OpCodes.Call, typeof(Codec<>).MakeGenericType(field.Field.FieldType)
                .GetMethod(method, BindingFlags.Public | BindingFlags.Static)!);
        }
        il.Emit(OpCodes.Ret);
        return emitted.CreateDelegate<TDelegate>();
    }
}
