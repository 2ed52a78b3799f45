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
    private const BindingFlags All =
        BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    private readonly HashSet<Assembly> _own;
    private readonly Dictionary<MethodBase, Body> _bodies = [];
    private readonly Dictionary<Type, bool> _isOwn = [];
    private readonly Lazy<ILookup<string, MethodInfo>> _virtuals;
    private HashSet<MethodBase> _next = [];

    public CodeReach(IReadOnlyList<Assembly> own)
    {
        _own = [.. own];
        _virtuals = new Lazy<ILookup<string, MethodInfo>>(() => own.SelectMany(TypesOf).SelectMany(static type => type.GetMethods(All))
            .Where(static method => method.IsVirtual).ToLookup(TryKeyOf));
    }

    /// <summary>Hash of all code that a method can reach, and whether some of it awaits.</summary>
    public (string Hash, bool Awaits) Of(MethodBase entry)
    {
        var seen = new HashSet<MethodBase>();
        var left = new Stack<MethodBase>([DefinitionOf(entry)]);
        bool awaits = false;
        while (left.TryPop(out MethodBase? method))
        {
            if (seen.Add(method))
            {
                Body body = BodyOf(method);
                awaits |= typeof(IAsyncStateMachine).IsAssignableFrom(method.DeclaringType);
                foreach (MethodBase next in body.Next)
                {
                    left.Push(next);
                }
            }
        }

        string[] lines = [.. seen.Select(method => _bodies[method].Line)];
        Array.Sort(lines, StringComparer.Ordinal);
        return (HashOf(string.Join('\n', lines)), awaits);
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
            case FieldInfo { IsStatic: true, DeclaringType: { } declaring }:
                FoundType(declaring);
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

    private static string KeyOf(MethodBase method) =>
        $"{method.Name[(method.Name.LastIndexOf('.') + 1)..]}/{method.GetParameters().Length}";

    // A method with a parameter of a type that is not deployed can be called by nobody.
    private static string TryKeyOf(MethodBase method)
    {
        try
        {
            return KeyOf(method);
        }
        catch (Exception error) when (error is IOException or TypeLoadException or BadImageFormatException)
        {
            return "";
        }
    }

    /// <summary>The types of an assembly that can be loaded.</summary>
    public static IEnumerable<Type> TypesOf(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException error)
        {
            return error.Types.OfType<Type>();
        }
    }

    // Whatever its type arguments are here: its code is one.
    private static MethodBase DefinitionOf(MethodBase method) => method.Module.ResolveMethod(method.MetadataToken) ?? method;

    private Body BodyOf(MethodBase method)
    {
        if (_bodies.TryGetValue(method, out Body? known))
        {
            return known;
        }

        _next = [];
        var text = new StringBuilder();
        MethodFingerprint.AppendBody(text, method, "", this);
        string name = $"{MethodFingerprint.Name(method.DeclaringType!, "")}::{NameOf(method)}"
            + $"({string.Join(',', method.GetParameters().Select(static taken => MethodFingerprint.Name(taken.ParameterType, "")))})";
        return _bodies[method] = new Body($"{name} {HashOf(text.ToString())}", [.. _next]);
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
        if (declaring.IsArray)
        {
            return; // Its methods are the runtime's, whatever assembly its elements are of.
        }

        if (IsOwn(declaring))
        {
            _next.Add(DefinitionOf(method));
        }

        if (method.IsVirtual && _own.Contains(declaring.Assembly))
        {
            foreach (MethodInfo candidate in _virtuals.Value[KeyOf(method)].Where(candidate => IsOwn(candidate.DeclaringType!)))
            {
                _next.Add(candidate);
            }
        }
    }

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

        Type definition = type.IsGenericType ? type.GetGenericTypeDefinition() : type;
        if (type.IsGenericParameter || !IsOwn(definition))
        {
            return;
        }

        if (definition.TypeInitializer is { } initializer)
        {
            _next.Add(initializer);
        }

        bool isGenerated = GeneratedName.KindOf(definition) == GeneratedKind.StateMachine;
        foreach (MethodInfo method in definition.GetMethods(All))
        {
            // .NET calls these by itself: MoveNext, Equals, GetHashCode, CompareTo. What the compiler writes for a record follows from its
            // members.
            if (isGenerated || (method.IsVirtual && IsFrameworks(method)
                && !method.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false)))
            {
                _next.Add(method);
            }
        }
    }

    private static bool IsFrameworks(MethodInfo method) =>
        TypeNames.IsFramework(method.GetBaseDefinition().DeclaringType!.Assembly) || method is { IsFinal: true } or { IsPrivate: true };

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

    private sealed record Body(string Line, IReadOnlyList<MethodBase> Next);
}
