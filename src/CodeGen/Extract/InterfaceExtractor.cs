using Ambrosia.CodeGen.Diagnostics;
using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Turns an interface symbol into what is generated for it, or into what is wrong with it.</summary>
public static class InterfaceExtractor
{
    /// <summary>The attribute that marks an immortal interface.</summary>
    public const string AttributeName = "Ambrosia.ImmortalInterfaceAttribute";

    /// <summary>The attribute that marks an interface of effects.</summary>
    public const string EffectAttributeName = "Ambrosia.EffectInterfaceAttribute";

    private const int DefaultMaxPending = 10_000;

    private const string EncodingAttributeName = "Ambrosia.EncodingAttribute";

    /// <summary>Extracts one interface; from source or from metadata.</summary>
    /// <param name="type">The interface.</param>
    /// <param name="compilation">The compilation it is part of.</param>
    /// <param name="cancel">Ends the extraction.</param>
    /// <param name="namesAreChecked">Whether types with the names to generate are an error; not where they have been generated
    /// already.</param>
    /// <param name="isEffects">Whether it is an interface of effects.</param>
    public static ExtractionResult Extract(
        INamedTypeSymbol type, Compilation compilation, CancellationToken cancel, bool namesAreChecked = true, bool isEffects = false)
    {
        DiagnosticSink sink = new();
        FormatterResolver resolver = new(sink, LibraryTypes.Of(type, sink));
        List<MethodModel> methods = [];
        if (CheckInterface(type, sink))
        {
            MethodExtractor extractor = new(type, compilation, resolver, sink, isEffects);
            foreach (ISymbol member in Members(type))
            {
                cancel.ThrowIfCancellationRequested();
                if (extractor.Extract(member) is { } method)
                {
                    methods.Add(method);
                }
            }
        }

        InterfaceModel model = new(
            TypeText.Namespace(type),
            type.Name,
            type.DeclaredAccessibility == Accessibility.Public ? "public" : "internal",
            type.GetDocumentationCommentId() ?? "",
            methods.OrderBy(static m => m.Id).ToEquatableArray())
        {
            IsJson = type.GetAttributes().Any(static a =>
                a.AttributeClass?.ToDisplayString() == EncodingAttributeName && a.ConstructorArguments.Length == 1
                    && a.ConstructorArguments[0].Value is 1),
            IsEffects = isEffects,
            MaxPending = isEffects ? MaxPending(type, sink) : 0,
        };
        CheckTogether(type, model, sink);
        if (namesAreChecked)
        {
            CheckNames(type, model, compilation, sink);
        }

        return sink.HasErrors
            ? new ExtractionResult(null, EquatableArray<FormatterModel>.Empty, sink.ToArray())
            : new ExtractionResult(
                isEffects ? model : model with { Shapes = new ShapeText(resolver).Of(model) },
                resolver.Generated.ToEquatableArray(), sink.ToArray());
    }

    private static int MaxPending(INamedTypeSymbol type, DiagnosticSink sink)
    {
        SourceLocation? at = SourceLocation.Of(type);
        if (type.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString() == AttributeName))
        {
            sink.Report(EffectRules.AlsoImmortal, at, type.Name);
        }

        if (type.GetAttributes().Any(static a => a.AttributeClass?.ToDisplayString() == EncodingAttributeName))
        {
            sink.Report(EffectRules.NotForEffects, at, "Encoding", type.Name);
        }

        AttributeData? attribute = type.GetAttributes().FirstOrDefault(
            static a => a.AttributeClass?.ToDisplayString() == EffectAttributeName);
        int bound = attribute?.NamedArguments.FirstOrDefault(static pair => pair.Key == "MaxPending").Value.Value as int?
            ?? DefaultMaxPending;
        if (bound < 1)
        {
            sink.Report(EffectRules.MaxPendingIsWrong, at, bound.ToString(System.Globalization.CultureInfo.InvariantCulture), type.Name);
        }

        return bound;
    }

    /// <summary>Members of the interface and of those it extends; a method declared twice alike is one.</summary>
    private static IEnumerable<ISymbol> Members(INamedTypeSymbol type)
    {
        HashSet<string> seen = [];
        foreach (ISymbol member in new[] { type }.Concat(type.AllInterfaces).SelectMany(static t => t.GetMembers()))
        {
            // Accessors come with their property or event.
            bool isAccessor = member is IMethodSymbol { AssociatedSymbol: not null };
            if (!isAccessor && seen.Add(member is IMethodSymbol method ? TypeText.Signature(method) + method.Arity : member.Name))
            {
                yield return member;
            }
        }
    }

    private static bool CheckInterface(INamedTypeSymbol type, DiagnosticSink sink)
    {
        SourceLocation? at = SourceLocation.Of(type);
        if (type.Arity > 0)
        {
            sink.Report(InterfaceRules.InterfaceIsGeneric, at, type.Name);
        }

        if (type.ContainingType is { } outer)
        {
            sink.Report(InterfaceRules.InterfaceIsNested, at, type.Name, outer.Name);
        }

        if (type.IsFileLocal)
        {
            sink.Report(InterfaceRules.InterfaceIsFileLocal, at, type.Name);
        }

        return !sink.HasErrors;
    }

    private static void CheckTogether(INamedTypeSymbol type, InterfaceModel model, DiagnosticSink sink)
    {
        SourceLocation? at = SourceLocation.Of(type);
        foreach (IGrouping<int, MethodModel> same in model.Methods.GroupBy(static m => m.Id).Where(static g => g.Count() > 1))
        {
            string id = same.Key.ToString(System.Globalization.CultureInfo.InvariantCulture);
            sink.Report(InterfaceRules.MethodIdCollision, at, same.First().Signature, same.Last().Signature, id);
        }

        IEnumerable<IGrouping<string, MethodModel>> stems =
            model.Methods.GroupBy(static m => m.Stem + m.Signature.Substring(m.Signature.IndexOf('('))).Where(static g => g.Count() > 1);
        foreach (IGrouping<string, MethodModel> same in stems)
        {
            MethodModel[] pair = [.. same.OrderBy(static m => m.Signature, StringComparer.Ordinal)];
            sink.Report(InterfaceRules.VariantCollision, at, pair[0].Signature, pair[1].Signature, pair[0].Stem + "Async");
        }
    }

    private static void CheckNames(INamedTypeSymbol type, InterfaceModel model, Compilation compilation, DiagnosticSink sink)
    {
        SourceLocation? at = SourceLocation.Of(type);
        foreach (string name in model.IsEffects ? new[] { model.EffectsName } : [model.BaseName, model.ProxyName])
        {
            string full = model.Namespace.Length == 0 ? name : model.Namespace + "." + name;
            if (compilation.Assembly.GetTypeByMetadataName(full) is not null)
            {
                sink.Report(InterfaceRules.GeneratedNameTaken, at, name, model.Name);
            }
        }
    }
}
