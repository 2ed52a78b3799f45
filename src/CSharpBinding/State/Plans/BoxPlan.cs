using System.Runtime.CompilerServices;

namespace Ambrosia.Runtime;

/// <summary>A boxed value. Filled later like any object, so that boxes inside boxes need no recursion.</summary>
internal sealed class BoxPlan<T>(Codec<T> codec) : ObjectPlan
    where T : struct
{
    public override Type Type => typeof(T);

    public override void WriteSchema(WriteSession session) => codec.Value!.WriteSchema(session);

    public override string? Match(SavedType saved) => codec.Value!.Match(saved);

    public override void WriteBody(WriteSession session, object value) => Codec<T>.Write(session, ref Unsafe.Unbox<T>(value));

    public override object Allocate(ReadSession session, SavedType saved) => RuntimeHelpers.GetUninitializedObject(typeof(T));

    public override void ReadBody(ReadSession session, SavedType saved, object target) =>
        Codec<T>.Read(session, ref Unsafe.Unbox<T>(target));
}
