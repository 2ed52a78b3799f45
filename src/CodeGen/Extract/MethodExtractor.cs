using System.Globalization;
using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Turns the members of an immortal interface, or of one of effects, into methods to generate.</summary>
internal sealed class MethodExtractor(INamedTypeSymbol type, Compilation compilation, FormatterResolver resolver, DiagnosticSink sink,
    bool isEffects)
{
    private readonly HashSet<string> _reserved = isEffects ? [] : ReservedNames(compilation);

    /// <summary>The method, or null if an error was reported.</summary>
    public MethodModel? Extract(ISymbol member)
    {
        // A member inherited from an interface of another assembly has no place in source: the interface itself has.
        SourceLocation? at = SourceLocation.Of(member) ?? SourceLocation.Of(type);
        string label = $"{type.Name}.{member.Name}";
        if (member is not IMethodSymbol method)
        {
            sink.Report(InterfaceRules.MemberIsNotAMethod, at, label, Describe(member));
            return null;
        }

        if (Problem(method, label, at))
        {
            return null;
        }

        resolver.Location = at;
        List<ParameterModel> parameters = [];
        IParameterSymbol[] sent = [.. method.Parameters.Where(parameter => !isEffects || !TypeText.IsEffectContext(parameter))];
        foreach (IParameterSymbol parameter in sent)
        {
            if (Parameter(parameter, method, at) is { } model)
            {
                parameters.Add(model);
            }
        }

        resolver.Location = at;
        ITypeSymbol? result = Result(method);
        string? resultFormatter = result is null ? null : resolver.Resolve(result, $"The result of {method.Name}");
        if (parameters.Count != sent.Length || (result is not null && resultFormatter is null))
        {
            return null;
        }

        string signature = TypeText.Signature(method);
        return new MethodModel(
            method.Name, Id(method, signature, at), HasAttribute(method, "Ambrosia.ImpulseAttribute"),
            HasAttribute(method, "Ambrosia.QueryAttribute"),
            result is null ? null : TypeText.Code(result), resultFormatter, parameters.ToEquatableArray(), signature,
            result is null ? "void" : TypeText.Wire(result), method.GetDocumentationCommentId() ?? "")
        {
            Effect = isEffects ? Effect(method, label, at) : null,
        };
    }

    private EffectDetails Effect(IMethodSymbol method, string label, SourceLocation? at)
    {
        int contexts = method.Parameters.Count(TypeText.IsEffectContext);
        if (contexts > 1)
        {
            sink.Report(EffectRules.SeveralContexts, at, label);
        }
        else if (contexts == 0 && !HasAttribute(method, "Ambrosia.IdempotentAttribute"))
        {
            sink.Report(EffectRules.NoContext, at, label);
        }

        foreach (string name in new[] { "Impulse", "Query" })
        {
            if (HasAttribute(method, $"Ambrosia.{name}Attribute"))
            {
                sink.Report(EffectRules.NotForEffects, at, name, label);
            }
        }

        int number = 0;
        List<string> arguments = [];
        foreach (IParameterSymbol parameter in method.Parameters)
        {
            arguments.Add(TypeText.IsEffectContext(parameter) ? "effect" : "a" + (number++).ToString(CultureInfo.InvariantCulture));
        }

        bool isTask = Metadata(method.ReturnType) is "System.Threading.Tasks.Task" or "System.Threading.Tasks.Task`1";
        return new EffectDetails(
            arguments.ToEquatableArray(), isTask, RetryExtractor.PolicyOf(method, type, at, sink),
                HasAttribute(method, "Ambrosia.OneAtATimeAttribute"));
    }

    private static string Metadata(ITypeSymbol type) => type is INamedTypeSymbol named ? TypeText.Metadata(named.OriginalDefinition) : "";

    private static string Describe(ISymbol member) => member switch
    {
        IPropertySymbol { IsIndexer: true } => "an indexer",
        IPropertySymbol => "a property",
        IEventSymbol => "an event",
        IFieldSymbol => "a constant",
        _ => "a nested type",
    };

    private static HashSet<string> ReservedNames(Compilation compilation)
    {
        HashSet<string> names = ["This", "Equals", "GetHashCode", "ToString", "GetType", "MemberwiseClone", "Finalize"];
        if (compilation.GetTypeByMetadataName("Ambrosia.Immortal") is { } immortal)
        {
            names.UnionWith(immortal.GetMembers()
                .Where(static m => m.DeclaredAccessibility is Accessibility.Public or Accessibility.Protected
                    or Accessibility.ProtectedOrInternal)
                .Where(static m => m is not IMethodSymbol { MethodKind: not MethodKind.Ordinary })
                .Select(static m => m.Name));
        }

        return names;
    }

    private static bool HasAttribute(ISymbol symbol, string name) =>
        symbol.GetAttributes().Any(a => a.AttributeClass?.ToDisplayString() == name);

    private bool Problem(IMethodSymbol method, string label, SourceLocation? at)
    {
        if (method.IsStatic || !method.IsAbstract)
        {
            sink.Report(InterfaceRules.MethodHasBody, at, label, type.Name);
        }
        else if (method.IsGenericMethod)
        {
            sink.Report(InterfaceRules.MethodIsGeneric, at, label);
        }
        else if (_reserved.Contains(method.Name))
        {
            sink.Report(InterfaceRules.NameOfRuntimeMember, at, label, method.Name is "Equals" or "GetHashCode" or "ToString" or "GetType"
                or "MemberwiseClone" or "Finalize" ? "Object" : "Immortal");
        }
        else if (isEffects && Metadata(method.ReturnType) is "Ambrosia.DurableTask" or "Ambrosia.DurableTask`1")
        {
            sink.Report(EffectRules.ReturnsDurableTask, at, label, TypeText.People(method.ReturnType));
        }
        else if (method.RefKind != RefKind.None || (Result(method) is { } result && UnsupportedResult(result)))
        {
            sink.Report(InterfaceRules.UnsupportedReturnType, at, label, method.RefKind == RefKind.None ? TypeText.People(method.ReturnType)
                : "a reference");
        }
        else
        {
            return false;
        }

        return true;
    }

    /// <summary>The data that the method gives back; null for void and Task.</summary>
    private static ITypeSymbol? Result(IMethodSymbol method)
    {
        if (method.ReturnsVoid)
        {
            return null;
        }

        if (method.ReturnType is INamedTypeSymbol named)
        {
            switch (TypeText.Metadata(named.OriginalDefinition))
            {
                case "System.Threading.Tasks.Task" or "Ambrosia.DurableTask":
                    return null;
                case "System.Threading.Tasks.Task`1" or "Ambrosia.DurableTask`1":
                    return named.TypeArguments[0];
            }
        }

        return method.ReturnType;
    }

    private static bool UnsupportedResult(ITypeSymbol type) => type is INamedTypeSymbol named && TypeText.Metadata(named.OriginalDefinition)
        is "System.Threading.Tasks.ValueTask" or "System.Threading.Tasks.ValueTask`1" or "System.Threading.Tasks.Task"
        or "System.Threading.Tasks.Task`1" or "Ambrosia.DurableTask" or "Ambrosia.DurableTask`1"
        or "System.Collections.Generic.IAsyncEnumerable`1";

    private ParameterModel? Parameter(IParameterSymbol parameter, IMethodSymbol method, SourceLocation? methodAt)
    {
        SourceLocation? at = SourceLocation.Of(parameter) ?? methodAt;
        if (parameter.RefKind != RefKind.None)
        {
            sink.Report(InterfaceRules.ParameterByReference, at, parameter.Name, method.Name, Word(parameter.RefKind));
            return null;
        }

        if (parameter.Type.ToDisplayString() == "System.Threading.CancellationToken")
        {
            sink.Report(InterfaceRules.CancellationTokenParameter, at, parameter.Name, method.Name);
            return null;
        }

        resolver.Location = at;
        string name = "@" + parameter.Name;
        return resolver.Resolve(parameter.Type, $"Parameter '{parameter.Name}' of {method.Name}") is { } formatter
            ? new ParameterModel(
                parameter.Name, TypeText.Code(parameter.Type), formatter, DefaultValues.Of(parameter), parameter.IsParams,
                SizeEstimate.Of(parameter.Type, name))
            {
                JsonDefault = ShapeJson.DefaultOf(parameter),
            }
            : null;
    }

    private static string Word(RefKind kind) => kind switch
    {
        RefKind.Out => "out",
        RefKind.In => "in",
        RefKind.Ref => "ref",
        _ => "ref readonly",
    };

    private int Id(IMethodSymbol method, string signature, SourceLocation? at)
    {
        AttributeData? attribute = method.GetAttributes()
            .FirstOrDefault(static a => a.AttributeClass?.ToDisplayString() == "Ambrosia.MethodIdAttribute");
        if (attribute?.ConstructorArguments.FirstOrDefault().Value is not int chosen)
        {
            return MethodIds.Of(signature);
        }

        if (chosen <= 0)
        {
            sink.Report(InterfaceRules.MethodIdOutOfRange, at, chosen.ToString(CultureInfo.InvariantCulture), $"{type.Name}.{method.Name}");
        }

        return chosen;
    }
}
