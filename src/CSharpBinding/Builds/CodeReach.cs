using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using System.Security.Cryptography;
using System.Text;
using Ambrosia.Runtime;

namespace Ambrosia.Builds;

/// <summary>
/// The application's own code that a handler can reach: what it calls, constructs and mentions, each virtual method with its overrides.
/// Not what the generator wrote, which says what the interfaces say.
/// </summary>
internal sealed class CodeReach : ICodeMembers
{
    private readonly HashSet<Assembly> _own;
    private readonly Dictionary<MethodBase, Body> _bodies = [];
    private readonly Dictionary<Type, bool> _isOwn = [];
    private readonly Dictionary<Type, Type[]> _comparers = [];
    private readonly OwnCode _code;
    private readonly BeyondCode _beyond;
    private HashSet<MethodBase> _next = [];
    private HashSet<Type> _results = [];
    private HashSet<string> _facts = [];

    public CodeReach(IReadOnlyList<Assembly> own)
    {
        _own = [.. own];
        _code = new OwnCode(own);
        _beyond = new BeyondCode(own);
    }

    /// <summary>Hash of all code that methods can reach, whether some of it awaits, and the types of results of its calls.</summary>
    public (string Hash, bool Awaits, IReadOnlyCollection<Type> Results) Of(IEnumerable<MethodBase> entries)
    {
        var seen = new HashSet<MethodBase>();
        var results = new HashSet<Type>();
        var facts = new HashSet<string>();
        var left = new Stack<MethodBase>(entries.Select(DefinitionOf));
        bool awaits = false;
        while (left.TryPop(out MethodBase? method))
        {
            if (seen.Add(method))
            {
                Body body = BodyOf(method);
                awaits |= typeof(IAsyncStateMachine).IsAssignableFrom(method.DeclaringType);
                results.UnionWith(body.Results);
                facts.UnionWith(body.Facts);
                foreach (MethodBase next in body.Next)
                {
                    left.Push(next);
                }
            }
        }

        string[] lines = [.. seen.Select(method => _bodies[method].Line), .. facts];
        Array.Sort(lines, StringComparer.Ordinal);
        return (HashOf(string.Join('\n', lines)), awaits, results);
    }

    /// <summary>The first 16 bytes of a hash, as text.</summary>
    public static string HashOf(string text) =>
        Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(text)).AsSpan(0, 16)).ToLowerInvariant();

    void ICodeMembers.Found(MemberInfo member)
    {
        switch (member)
        {
            case Type type:
                FoundType(type);
                break;
            case MethodBase method:
                FoundMethod(method);
                break;
            case FieldInfo { DeclaringType: { } declaring } field:
                FoundType(field.IsStatic ? declaring : field.FieldType);
                FoundValues(field, declaring);
                break;
        }
    }

    // A field that is called otherwise and is saved under its old name is the same field. Of the lambdas of one method each is another.
    string ICodeMembers.NameOf(MemberInfo member) =>
        member is FieldInfo field && field.GetCustomAttribute<DataMemberAttribute>()?.Name is { } saved
        ? GeneratedName.Normalize(saved, "")
        : NameOf(member);

    private static string NameOf(MemberInfo member)
    {
        int ordinal = member is MethodBase && member.Name.Contains("b__", StringComparison.Ordinal) ? member.Name.LastIndexOf('_') : -1;
        return GeneratedName.Normalize(member.Name, "") + (ordinal < 0 ? "" : member.Name[ordinal..]);
    }

    // Whatever its type arguments are here: its code is one.
    private static MethodBase DefinitionOf(MethodBase method) => method.Module.ResolveMethod(method.MetadataToken) ?? method;

    private Body BodyOf(MethodBase method)
    {
        if (_bodies.TryGetValue(method, out Body? known))
        {
            return known;
        }

        (_next, _results, _facts) = ([], [], []);
        var text = new StringBuilder();
        try
        {
            MethodFingerprint.AppendBody(text, method, "", this);
        }
        catch (Exception error) when (error is IOException or TypeLoadException or MissingMemberException or BadImageFormatException
            or NotSupportedException or ArgumentException)
        {
            // It mentions what is not deployed: what it does behind that is known to be the same in the same module only.
            text.Append(null, $"{method.Module.ModuleVersionId}");
        }

        string name = $"{MethodFingerprint.Name(method.DeclaringType!, "")}::{NameOf(method)}"
            + $"({string.Join(',', method.GetParameters().Select(static taken => MethodFingerprint.Name(taken.ParameterType, "")))})";
        return _bodies[method] = new Body($"{name} {HashOf(text.ToString())}", [.. _next], [.. _results], [.. _facts]);
    }

    private void FoundMethod(MethodBase method)
    {
        foreach (Type argument in method.IsGenericMethod ? method.GetGenericArguments() : [])
        {
            FoundType(argument);
        }

        if (method.DeclaringType is not { } declaring)
        {
            return;
        }

        FoundType(declaring);
        _facts.UnionWith(_beyond.OfCall(method, declaring));
        _next.UnionWith(_beyond.GettersReadBy(method, declaring).Select(DefinitionOf));
        if (declaring.IsArray)
        {
            return; // Its methods are the runtime's, whatever assembly its elements are of.
        }

        if (IsOwn(declaring))
        {
            _next.Add(DefinitionOf(method));
        }
        else if (method is MethodInfo { ReturnType.IsGenericType: true } sender && _own.Contains(declaring.Assembly))
        {
            _results.UnionWith(sender.ReturnType.GetGenericArguments()); // A proxy's: the reply is in the log.
        }

        if (method.IsVirtual && _own.Contains(declaring.Assembly))
        {
            Add(_code.InPlaceOf(method));
        }
    }

    // What a field may hold was made elsewhere, and what is not saved has the value that constructors and OnRestore give it.
    private void FoundValues(FieldInfo field, Type declaring)
    {
        if (field.IsStatic || !IsOwn(OwnCode.DefinitionOf(declaring)))
        {
            return;
        }

        foreach (Type held in _own.Contains(field.FieldType.Assembly) ? [] : _code.ImplementersOf(field.FieldType))
        {
            FoundType(held);
        }

        foreach (MethodInfo target in _code.TargetsOf(field.FieldType))
        {
            FoundMethod(target);
        }

        if (FieldSet.IsNotSaved(field))
        {
            _next.UnionWith(OwnCode.DefinitionOf(declaring).GetConstructors(OwnCode.All).Where(static made => !made.IsStatic));
            Add(_code.Named("OnRestore", 1));
        }
    }

    private void Add(IEnumerable<MethodInfo> methods) => _next.UnionWith(methods.Where(method => IsOwn(method.DeclaringType!)));

    private void FoundType(Type type)
    {
        while (type.HasElementType)
        {
            type = type.GetElementType()!;
        }

        foreach (Type argument in type.IsGenericType && !type.IsGenericTypeDefinition ? type.GetGenericArguments() : [])
        {
            FoundType(argument);
        }

        Type definition = OwnCode.DefinitionOf(type);
        if (type.IsGenericParameter || !IsOwn(definition))
        {
            foreach (Type comparer in type.IsGenericParameter || _own.Contains(type.Assembly) ? [] : ComparersOf(definition))
            {
                FoundType(comparer);
            }

            return;
        }

        _facts.UnionWith(BeyondCode.OfType(definition));
        if (definition.TypeInitializer is { } initializer)
        {
            _next.Add(initializer);
        }

        bool isGenerated = GeneratedName.KindOf(definition) == GeneratedKind.StateMachine;
        foreach (MethodInfo method in definition.GetMethods(OwnCode.All))
        {
            // .NET calls these by itself: MoveNext, Equals, GetHashCode, CompareTo. What the compiler writes for a record follows from its
            // members.
            if (isGenerated || (method.IsVirtual && _code.IsCalledByOthers(method)
                && !method.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false)))
            {
                _next.Add(method);
            }
        }
    }

    private Type[] ComparersOf(Type definition)
    {
        if (!_comparers.TryGetValue(definition, out Type[]? found))
        {
            _comparers[definition] = found = [.. _code.ComparersOf(definition)];
        }

        return found;
    }

    private bool IsOwn(Type type)
    {
        if (!_isOwn.TryGetValue(type, out bool isOwn))
        {
            isOwn = _own.Contains(type.Assembly);
            for (Type? level = type; isOwn && level is not null; level = level.DeclaringType)
            {
                isOwn = level.GetCustomAttribute<System.CodeDom.Compiler.GeneratedCodeAttribute>() is not { Tool: "Ambrosia.CodeGen" };
            }

            _isOwn[type] = isOwn;
        }

        return isOwn;
    }

    private sealed record Body(string Line, IReadOnlyList<MethodBase> Next, IReadOnlyList<Type> Results, IReadOnlyList<string> Facts);
}
