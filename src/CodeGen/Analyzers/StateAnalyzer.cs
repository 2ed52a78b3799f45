using System.Collections.Immutable;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Rejects immortals that could not be saved or made again: fields, static state, constructors, carried methods, ahead-of-time publishing.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class StateAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        StateRules.UnsavableField, StateRules.AotNotSupported, StateRules.BadContinues, StateRules.NoParameterlessConstructor,
        StateRules.PerformerHoldsImmortal, StateRules.SavesService,
        HandlerRules.WritesStaticState);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterSymbolAction(CheckClass, SymbolKind.NamedType);
        context.RegisterSymbolAction(CheckContinues, SymbolKind.Method);
        context.RegisterOperationAction(InjectedRules.Check, OperationKind.ParameterReference);
    }

    private static void CheckClass(SymbolAnalysisContext context)
    {
        if (context.Symbol is not INamedTypeSymbol { TypeKind: TypeKind.Class } type)
        {
            return;
        }

        if (!ImmortalTypes.IsImmortal(type))
        {
            CheckPerformer(context, type);
            return;
        }

        foreach (IFieldSymbol field in type.GetMembers().OfType<IFieldSymbol>())
        {
            CheckField(context, type, field);
        }

        if (!type.IsAbstract && !type.InstanceConstructors.Any(InjectedRules.CanMake))
        {
            context.ReportDiagnostic(Diagnostic.Create(StateRules.NoParameterlessConstructor, type.Locations[0], type.Name));
        }

        foreach (string property in new[] { "PublishAot", "PublishTrimmed" })
        {
            if (context.Options.AnalyzerConfigOptionsProvider.GlobalOptions.TryGetValue("build_property." + property, out string? value)
                && string.Equals(value, "true", StringComparison.OrdinalIgnoreCase))
            {
                context.ReportDiagnostic(Diagnostic.Create(StateRules.AotNotSupported, type.Locations[0], type.Name, property));
                break; // PublishAot implies PublishTrimmed.
            }
        }
    }

    // A parameter that is kept is a field, too; what a method is given may be looked at while it runs, which is as wrong.
    private static void CheckPerformer(SymbolAnalysisContext context, INamedTypeSymbol type)
    {
        if (!ImmortalTypes.PerformsEffects(type))
        {
            return;
        }

        IEnumerable<ISymbol> held = type.GetMembers().OfType<IFieldSymbol>()
            .Where(static f => !f.IsImplicitlyDeclared && ImmortalTypes.IsImmortal(f.Type))
            .Concat<ISymbol>(type.GetMembers().OfType<IPropertySymbol>().Where(static p => ImmortalTypes.IsImmortal(p.Type)))
            .Concat(type.GetMembers().OfType<IMethodSymbol>().Where(static m => m.AssociatedSymbol is null)
                .SelectMany(static m => m.Parameters)
                .Where(static p => !p.IsImplicitlyDeclared && ImmortalTypes.IsImmortal(p.Type)));
        foreach (ISymbol found in held)
        {
            context.ReportDiagnostic(Diagnostic.Create(StateRules.PerformerHoldsImmortal, found.Locations[0], type.Name, found.Name));
        }
    }

    private static void CheckField(SymbolAnalysisContext context, INamedTypeSymbol type, IFieldSymbol field)
    {
        ISymbol named = field.AssociatedSymbol ?? field;
        if (field.IsStatic && !field.IsConst && !field.IsReadOnly)
        {
            context.ReportDiagnostic(Diagnostic.Create(HandlerRules.WritesStaticState, named.Locations[0], $"{type.Name}.{named.Name}"));
        }
        else if (Savability.IsState(field) && Savability.Reason(field.Type) is { } reason)
        {
            context.ReportDiagnostic(Diagnostic.Create(StateRules.UnsavableField, named.Locations[0], $"{type.Name}.{named.Name}", reason));
        }
    }

    private static void CheckContinues(SymbolAnalysisContext context)
    {
        IMethodSymbol method = (IMethodSymbol)context.Symbol;
        AttributeData? attribute = method.GetAttributes()
            .FirstOrDefault(static a => a.AttributeClass?.ToDisplayString() == "Ambrosia.ContinuesAttribute");
        if (attribute?.ConstructorArguments.FirstOrDefault().Value is not string name)
        {
            return;
        }

        bool fits = method.ContainingType.GetMembers(name).OfType<IMethodSymbol>().Any(other =>
            !SymbolEqualityComparer.Default.Equals(other, method)
            && SymbolEqualityComparer.Default.Equals(other.ReturnType, method.ReturnType)
            && other.Parameters.Select(static p => p.Type)
            .SequenceEqual(method.Parameters.Select(static p => p.Type), SymbolEqualityComparer.Default));
        if (!fits)
        {
            context.ReportDiagnostic(Diagnostic.Create(StateRules.BadContinues, method.Locations[0], method.Name, name));
        }
    }
}
