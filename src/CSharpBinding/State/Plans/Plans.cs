using System.Collections.Concurrent;

namespace Ambrosia.Runtime;

/// <summary>The plan for the objects of every type.</summary>
internal static class Plans
{
    private static readonly ConcurrentDictionary<Type, ObjectPlan> s_plans = new();

    /// <exception cref="UnsavableTypeException">Objects of the type cannot be saved.</exception>
    public static ObjectPlan Of(Type type)
    {
        if (!s_plans.TryGetValue(type, out ObjectPlan? plan))
        {
            plan = s_plans.GetOrAdd(type, Create(type));
        }
        return plan;
    }

    private static ObjectPlan Create(Type type)
    {
        if (type.ContainsGenericParameters)
        {
            throw new UnsavableTypeException(type, "its type arguments are open.");
        }
        if (type == typeof(object))
        {
            return new PlainPlan();
        }
        if (type.IsValueType)
        {
            return (ObjectPlan)Activator.CreateInstance(typeof(BoxPlan<>).MakeGenericType(type), Codecs.Of(type))!;
        }
        if (type.IsArray)
        {
            Codec element = Codecs.Of(type.GetElementType()!);
            return type.IsSZArray
                ? (ObjectPlan)Activator.CreateInstance(typeof(ArrayPlan<>).MakeGenericType(element.Type), element)!
                : new RectangularArrayPlan(type, element);
        }
        if (KnownPlans.Of(type) is { } known)
        {
            return known;
        }
        if (typeof(Delegate).IsAssignableFrom(type))
        {
            return new DelegatePlan(type);
        }
        if (type.IsAbstract)
        {
            throw new UnsavableTypeException(type, "it is abstract.");
        }
        if (typeof(Exception).IsAssignableFrom(type))
        {
            return new ExceptionPlan(FieldSet.Of(type));
        }
        if (TypeNames.IsFramework(type.Assembly))
        {
            throw new UnsavableTypeException(type, KnownTypes.Advice(type));
        }
        return new FieldsPlan(FieldSet.Of(type));
    }
}
