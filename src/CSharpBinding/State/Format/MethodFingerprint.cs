using System.Buffers.Binary;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;

namespace Ambrosia.Runtime;

/// <summary>
/// Text of a method body in which every token is a name, so that two builds of the same source give the same one wherever the method
/// stands.
/// </summary>
internal static class MethodFingerprint
{
    private static readonly OpCode[] s_oneByte = new OpCode[256];
    private static readonly OpCode[] s_twoBytes = new OpCode[256];

    static MethodFingerprint()
    {
        foreach (FieldInfo field in typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static))
        {
            OpCode code = (OpCode)field.GetValue(null)!;
            (code.Size == 1 ? s_oneByte : s_twoBytes)[(byte)code.Value] = code;
        }
    }

    /// <summary>Appends the body: locals, instructions, exception table.</summary>
    /// <param name="text">Where to.</param>
    /// <param name="method">The method.</param>
    /// <param name="owner">Method to which generated names belong, or "".</param>
    /// <param name="code">Where the names of fields come from, and where the members go to that the body refers to; null: fields have their
    /// own names.</param>
    public static void AppendBody(StringBuilder text, MethodBase method, string owner, ICodeMembers? code = null)
    {
        if (method.GetMethodBody() is not { } body)
        {
            return;
        }
        foreach (LocalVariableInfo local in body.LocalVariables)
        {
            text.Append('L').Append(Name(local.LocalType, owner)).Append('\n');
            code?.Found(local.LocalType);
        }
        AppendInstructions(text, body.GetILAsByteArray()!, method, owner, code);
        foreach (ExceptionHandlingClause clause in body.ExceptionHandlingClauses)
        {
            text.Append('E').Append(clause.Flags).Append(' ').Append(clause.TryOffset).Append(' ').Append(clause.TryLength)
                .Append(' ').Append(clause.HandlerOffset).Append(' ').Append(clause.HandlerLength).Append(' ')
                .Append(clause.Flags == ExceptionHandlingClauseOptions.Clause ? Name(clause.CatchType!, owner) : "").Append('\n');
        }
    }

    /// <summary>A type's name without ordinals and assemblies.</summary>
    public static string Name(Type type, string owner)
    {
        if (type.IsGenericParameter)
        {
            return (type.DeclaringMethod is null ? "!" : "!!") + type.GenericParameterPosition;
        }
        if (type.HasElementType)
        {
            string suffix = type.IsArray ? $"[{type.GetArrayRank()}]" : type.IsByRef ? "&" : "*";
            return Name(type.GetElementType()!, owner) + suffix;
        }
        if (type.IsFunctionPointer)
        {
            return "fnptr";
        }
        string name = GeneratedName.IsAnonymous(type)
            ? $"<>f__Anonymous({string.Join(',', AnonymousProperties(type))})"
            : GeneratedName.Normalize(type.Name, owner);
        name = type.IsNested ? $"{Name(Definition(type.DeclaringType!), owner)}+{name}" : $"{type.Namespace}.{name}";
        return type.IsGenericType && !type.IsGenericTypeDefinition
            ? $"{name}<{string.Join(',', type.GetGenericArguments().Select(argument => Name(argument, owner)))}>"
            : name;
    }

    public static IEnumerable<string> AnonymousProperties(Type type) =>
        type.GetProperties(BindingFlags.Public | BindingFlags.Instance).OrderBy(property => property.MetadataToken)
        .Select(property => property.Name);

    /// <summary>The methods that a body makes delegates of, lambdas among them; generic ones as their definitions.</summary>
    public static MethodInfo[] DelegateTargetsOf(MethodBase method)
    {
        byte[] il = method.GetMethodBody()?.GetILAsByteArray() ?? [];
        var found = new List<MethodInfo>();
        for (int at = 0; at < il.Length;)
        {
            OpCode operation = il[at] == 0xFE ? s_twoBytes[il[at + 1]] : s_oneByte[il[at]];
            at += operation.Size;
            if (operation == OpCodes.Ldftn || operation == OpCodes.Ldvirtftn)
            {
                MemberInfo target = Resolve(BinaryPrimitives.ReadInt32LittleEndian(il.AsSpan(at)), method);
                if (target is MethodInfo named)
                {
                    found.Add(named.IsGenericMethod ? named.GetGenericMethodDefinition() : named);
                }
            }
            at += SizeOf(operation.OperandType, il.AsSpan(at));
        }
        return [.. found];
    }

    private static int SizeOf(OperandType kind, ReadOnlySpan<byte> operand) => kind switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        OperandType.InlineSwitch => 4 + (4 * BinaryPrimitives.ReadInt32LittleEndian(operand)),
        _ => 4,
    };

    private static MemberInfo Resolve(int token, MethodBase method) => method.Module.ResolveMember(
        token, method.DeclaringType!.GetGenericArguments(), method.IsGenericMethod ? method.GetGenericArguments() : [])!;

    private static Type Definition(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;

    private static void AppendInstructions(StringBuilder text, byte[] il, MethodBase method, string owner, ICodeMembers? code)
    {
        int at = 0;
        while (at < il.Length)
        {
            OpCode operation = il[at] == 0xFE ? s_twoBytes[il[at + 1]] : s_oneByte[il[at]];
            at += operation.Size;
            text.Append(operation.Name).Append(' ');
            at += AppendOperand(text, operation.OperandType, il.AsSpan(at), method, owner, code);
            text.Append('\n');
        }
    }

    private static int AppendOperand(StringBuilder text, OperandType kind, ReadOnlySpan<byte> operand, MethodBase method, string owner,
        ICodeMembers? code)
    {
        switch (kind)
        {
            case OperandType.InlineNone:
                return 0;
            case OperandType.InlineString:
                text.Append('"').Append(method.Module.ResolveString(BinaryPrimitives.ReadInt32LittleEndian(operand))).Append('"');
                return 4;
            case OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType:
                AppendMember(text, BinaryPrimitives.ReadInt32LittleEndian(operand), method, owner, code);
                return 4;
            case OperandType.InlineSig:
                return 4; // A function pointer call; its signature shows in the locals.
            default:
                int width = SizeOf(kind, operand);
                text.Append(Convert.ToHexString(operand[..width]));
                return width;
        }
    }

    private static void AppendMember(StringBuilder text, int token, MethodBase method, string owner, ICodeMembers? code)
    {
        MemberInfo member = Resolve(token, method);
        code?.Found(member);
        if (member is Type type)
        {
            text.Append(Name(type, owner));
            return;
        }
        text.Append(member.DeclaringType is null ? "" : Name(member.DeclaringType, owner)).Append("::")
            .Append(code is null ? GeneratedName.Normalize(member.Name, owner) : code.NameOf(member));
        if (member is FieldInfo field)
        {
            text.Append(':').Append(Name(field.FieldType, owner));
        }
        else if (member is MethodBase called)
        {
            AppendSignature(text, called, owner);
        }
    }

    private static void AppendSignature(StringBuilder text, MethodBase called, string owner)
    {
        if (called.IsGenericMethod)
        {
            text.Append('<').AppendJoin(',', called.GetGenericArguments().Select(argument => Name(argument, owner))).Append('>');
        }
        text.Append('(').AppendJoin(',', called.GetParameters().Select(parameter => Name(parameter.ParameterType, owner))).Append(')');
        if (called is MethodInfo info)
        {
            text.Append(':').Append(Name(info.ReturnType, owner));
        }
    }
}
