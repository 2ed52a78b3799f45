using System.Reflection;

namespace Ambrosia.Runtime;

/// <summary>
/// Reads the type table of a saved state and finds the present types. A name is looked up only in the application's assemblies, the
/// binding's and, for known types, .NET's own.
/// </summary>
internal sealed class TypeTableReader(GraphOptions options, IStateForms forms)
{
    private readonly List<SavedType> _types = [];

    public SavedType Read(ReadSession session, ulong id)
    {
        if (id < (ulong)_types.Count)
        {
            return _types[(int)id];
        }
        if (id > (ulong)_types.Count)
        {
            throw session.Corrupt($"type {id} of {_types.Count}");
        }
        byte form = session.ReadByte();
        if (form < (byte)TypeForm.Array)
        {
            return ReadPrimitive(session, (Primitive)form);
        }
        SavedType type = new();
        _types.Add(type);
        switch ((TypeForm)form)
        {
            case TypeForm.Array:
                ReadArray(session, type);
                break;
            case TypeForm.Generic:
                ReadGeneric(session, type);
                break;
            case TypeForm.Named:
                ReadNamed(session, type);
                break;
            case TypeForm.Generated:
                ReadGenerated(session, type);
                break;
            case TypeForm.Anonymous:
                ReadAnonymous(session, type);
                break;
            default:
                throw session.Corrupt($"a type of form {form}");
        }
        return type;
    }

    /// <summary>Reads the layout of the type's instances if this is the first one.</summary>
    public void RequireSchema(ReadSession session, SavedType type)
    {
        if (type.HasSchema)
        {
            return;
        }
        type.HasSchema = true;
        if (type.Primitive == default)
        {
            SavedSchema.Read(session, type);
        }
        if (type.Resolved is not null)
        {
            Bind(session, type);
        }
    }

    private void Bind(ReadSession session, SavedType type)
    {
        try
        {
            if (Nullable.GetUnderlyingType(type.Resolved!) is not null)
            {
                type.Problem = forms.CodecOf(type.Resolved!).Match(type); // Only ever a value: boxed, it is the value inside.
                return;
            }
            ObjectPlan plan = forms.PlanOf(type.Resolved!, options.HandlerOf(type.Resolved!));
            type.Problem = type.Primitive == default ? plan.Match(type) : null;
            if (type.Problem is null)
            {
                type.Plan = plan;
            }
            if (type.Category == Category.Struct && !type.IsIdentical)
            {
                session.NoteEvolved(type);
            }
            if (type.Problem is null && options.Found is { } found && !type.IsContinuation && TypeNames.IsUsers(type.Resolved!.Assembly))
            {
                found(type);
            }
        }
        catch (UnsavableTypeException e)
        {
            type.Problem = $"it cannot be part of a state: {e.Message}";
        }
        finally
        {
            if (type.Problem is not null)
            {
                type.Resolved = null; // So that no wire of this type fits any field.
            }
        }
    }

    private SavedType ReadPrimitive(ReadSession session, Primitive primitive)
    {
        Type resolved = TypeNames.TypeOf(primitive) ?? throw session.Corrupt($"primitive type {(byte)primitive}");
        SavedType type = new() { Primitive = primitive, Resolved = resolved, Description = TypeNames.Display(resolved) };
        if (resolved.IsValueType)
        {
            type.SmallestSize = forms.CodecOf(resolved).SmallestSize;
        }
        _types.Add(type);
        return type;
    }

    private static void ReadArray(ReadSession session, SavedType type)
    {
        int rank = session.ReadSmall(32, "an array's rank");
        SavedType element = session.ReadType();
        type.ArrayRank = rank;
        type.Description = $"{element.Description}[{new string(',', Math.Max(0, rank - 1))}]";
        type.Problem = element.Problem;
        type.Resolved = element.Resolved is null || element.Resolved.ContainsGenericParameters || element.Resolved.IsByRefLike ? null
            : rank == 0 ? element.Resolved.MakeArrayType() : element.Resolved.MakeArrayType(rank);
    }

    private static void ReadGeneric(ReadSession session, SavedType type)
    {
        SavedType definition = session.ReadType();
        SavedType[] arguments = new SavedType[session.ReadSmall(64, "the number of type arguments")];
        for (int i = 0; i < arguments.Length; i++)
        {
            arguments[i] = session.ReadType();
        }
        SavedType? missing = definition.Resolved is null ? definition : Array.Find(arguments, static argument => argument.Resolved is null);
        type.Description = $"{definition.Description}<{string.Join(", ", arguments.Select(static argument => argument.Description))}>";
        if (missing is not null)
        {
            // A suspended method is known by the method, not by the box around it.
            type.Description = missing.IsContinuation ? missing.Description : type.Description;
            type.IsContinuation = missing.IsContinuation;
            type.Problem = missing.Problem;
            return;
        }
        try
        {
            type.Resolved = definition.Resolved!.MakeGenericType(Array.ConvertAll(arguments, static argument => argument.Resolved!));
            type.Description = TypeNames.Display(type.Resolved);
        }
        catch (Exception e) when (e is ArgumentException or InvalidOperationException or NotSupportedException)
        {
            type.Problem = "its type arguments do not fit it any more";
        }
    }

    private void ReadNamed(ReadSession session, SavedType type)
    {
        string assembly = session.ReadText();
        string name = session.ReadText();
        type.Description = name[(name.LastIndexOf('.') + 1)..].Split('`')[0].Replace('+', '.');
        type.Resolved = assembly.Length == 0 ? TypeNames.FindFrameworkType(name) : FindApplicationType(assembly, name);
        type.Problem = type.Resolved is null ? $"the type {name} is not in this build" : null;
    }

    private Type? FindApplicationType(string assembly, string name)
    {
        // Its own assembly first; a type that moved to another one of the application is still the same.
        foreach (Assembly candidate in options.Assemblies.OrderBy(candidate => candidate.GetName().Name == assembly ? 0 : 1))
        {
            if (candidate.GetType(name, throwOnError: false) is { } found)
            {
                return found;
            }
        }
        return null;
    }

    private static void ReadGenerated(ReadSession session, SavedType type)
    {
        SavedType owner = session.ReadType();
        GeneratedKind kind = (GeneratedKind)session.ReadByte();
        ContinuationIdentity identity =
            new(kind, session.ReadText(), session.ReadText(), session.ReadText(), session.ReadSmall(int.MaxValue, "a type's index"));
        string method = identity.Method.Length > 0 ? $".{identity.Method}" : "";
        type.IsContinuation = true;
        type.Description = owner.IsContinuation && owner.Problem is not null ? owner.Description
            : owner.Description.Split(".<")[0] + method;
        type.Problem = owner.Problem;
        if (owner.Resolved is not { } declaring)
        {
            return;
        }
        type.Resolved = identity.FindIn(declaring);
        if (type.Resolved is null)
        {
            string what = kind == GeneratedKind.Closure ? "captured variables were" : "a call suspended in it was";
            type.Problem = $"{what} saved with fingerprint {ContinuationIdentity.Short(identity.Fingerprint)}, the present one is "
                + $"{identity.PresentIn(declaring)}";
        }
    }

    private void ReadAnonymous(ReadSession session, SavedType type)
    {
        string assembly = session.ReadText();
        string[] properties = new string[session.ReadByte()];
        for (int i = 0; i < properties.Length; i++)
        {
            properties[i] = session.ReadText();
        }
        type.Description = $"new {{ {string.Join(", ", properties)} }}";
        type.Resolved = options.Assemblies
            .Where(candidate => candidate.GetName().Name == assembly)
            .SelectMany(static candidate => candidate.GetTypes())
            .FirstOrDefault(candidate =>
                GeneratedName.IsAnonymous(candidate) && MethodFingerprint.AnonymousProperties(candidate).SequenceEqual(properties));
        type.Problem = type.Resolved is null ? "no anonymous type with these properties is in this build" : null;
    }
}
