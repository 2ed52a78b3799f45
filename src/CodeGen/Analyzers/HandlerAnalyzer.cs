using System.Collections.Immutable;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>
/// Rejects what handlers cannot repeat after a crash: clocks, chance, threads, blocking, static state, what is not saved. Helpers of the
/// same compilation are followed.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class HandlerAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        HandlerRules.NonDeterministic, HandlerRules.AsyncWithoutDurableTask, HandlerRules.ConfiguresAwait, HandlerRules.LeavesTurn,
        HandlerRules.Blocks, HandlerRules.WritesStaticState, HandlerRules.AmbientState, HandlerRules.UnorderedSend,
        HandlerRules.ImpulseFromHandler, HandlerRules.QueryWrites, HandlerRules.QuerySends, HandlerRules.TouchesUnsaved,
        HandlerRules.Repeats, HandlerRules.DroppedWork);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(static start =>
        {
            if (start.Compilation.GetTypeByMetadataName("Ambrosia.Immortal") is not null)
            {
                HelperFacts facts = new(start.Compilation);
                start.RegisterSymbolStartAction(c => Start(c, facts), SymbolKind.NamedType);
            }
        });
    }

    private static void Start(SymbolStartAnalysisContext context, HelperFacts facts)
    {
        if (context.Symbol is not INamedTypeSymbol { TypeKind: TypeKind.Class } type || !ImmortalTypes.IsImmortal(type))
        {
            return;
        }

        HandlerScope scope = new(type);
        context.RegisterOperationAction(
            c => Visit(c, scope, facts),
            OperationKind.Invocation, OperationKind.PropertyReference, OperationKind.ObjectCreation, OperationKind.MethodReference,
            OperationKind.FieldReference, OperationKind.SimpleAssignment, OperationKind.CompoundAssignment, OperationKind.Increment,
            OperationKind.Decrement, OperationKind.Await, OperationKind.Loop, OperationKind.AnonymousFunction, OperationKind.LocalFunction,
            OperationKind.ExpressionStatement, OperationKind.Lock, OperationKind.VariableDeclarator, OperationKind.Binary,
            OperationKind.Unary, OperationKind.Conversion);
        context.RegisterSymbolEndAction(c =>
        {
            AsyncMethods(type, scope);
            foreach (Diagnostic finding in scope.Findings())
            {
                c.ReportDiagnostic(finding);
            }
        });
    }

    private static void Visit(OperationAnalysisContext context, HandlerScope scope, HelperFacts facts)
    {
        ISymbol member = context.ContainingSymbol;
        CheckOffences(context, member, scope, facts);
        switch (context.Operation)
        {
            case IInvocationOperation call:
                scope.AddUse(member, call.TargetMethod);
                CheckConfigure(call, member, scope);
                CheckImpulse(call, member, scope);
                QueryRules.CheckCall(call, member, scope);
                break;
            case IPropertyReferenceOperation property:
                scope.AddUse(member, property.Property);
                UnsavedRules.Check(property.Property, property, member, scope);
                break;
            case IFieldReferenceOperation field:
                scope.AddUse(member, field.Field);
                UnsavedRules.Check(field.Field, field, member, scope);
                break;
            case IMethodReferenceOperation method:
                scope.AddUse(member, method.Method);
                break;
            case IAssignmentOperation assignment:
                QueryRules.CheckWrite(assignment.Target, member, scope);
                break;
            case IIncrementOrDecrementOperation step:
                QueryRules.CheckWrite(step.Target, member, scope);
                break;
            case IAwaitOperation wait:
                QueryRules.CheckAwait(wait, member, scope);
                break;
            case IForEachLoopOperation loop:
                CheckOrder(loop, member, scope);
                break;
            case IAnonymousFunctionOperation { Symbol.IsAsync: true } lambda:
                CheckAsync(lambda.Symbol, "The lambda", lambda.Syntax.GetLocation(), member, scope);
                break;
            case ILocalFunctionOperation { Symbol.IsAsync: true } local:
                CheckAsync(local.Symbol, local.Symbol.Name, local.Symbol.Locations[0], member, scope);
                break;
        }
    }

    private static void CheckOffences(OperationAnalysisContext context, ISymbol member, HandlerScope scope, HelperFacts facts)
    {
        // What belongs to the class, and not to an object, is made before there is a turn.
        if (member is IMethodSymbol { MethodKind: MethodKind.StaticConstructor }
            or IFieldSymbol { IsStatic: true } or IPropertySymbol { IsStatic: true })
        {
            return;
        }

        foreach (Offence offence in Offences.Of(context.Operation, facts))
        {
            scope.Add(member, offence.ToDiagnostic(), countsInQueries: !ReferenceEquals(offence.Rule, HandlerRules.Repeats));
        }

        foreach (Diagnostic finding in HelperTrail.Findings(context.Operation, facts, context.CancellationToken))
        {
            scope.Add(member, finding, countsInQueries: false);
        }
    }

    private static void CheckConfigure(IInvocationOperation call, ISymbol member, HandlerScope scope)
    {
        IMethodSymbol used = call.TargetMethod;
        if (used.Name == "ConfigureAwait"
            && used.ContainingNamespace?.ToDisplayString().StartsWith("System", StringComparison.Ordinal) == true)
        {
            scope.Add(member, Diagnostic.Create(HandlerRules.ConfiguresAwait, call.Syntax.GetLocation()));
        }
    }

    // Other methods of the class may be called from anywhere; a handler is known by what it overrides.
    private static void CheckImpulse(IInvocationOperation call, ISymbol member, HandlerScope scope)
    {
        const string Suffix = "Impulse";
        string name = call.TargetMethod.Name;
        bool isHandler = member is IMethodSymbol { IsOverride: true } method && ImmortalTypes.IsDurableTask(method.ReturnType);
        if (isHandler && name.EndsWith(Suffix, StringComparison.Ordinal) && ImmortalTypes.IsProxy(call.TargetMethod.ContainingType)
            && !ImmortalTypes.IsDurableTask(call.Type))
        {
            scope.Add(member, Diagnostic.Create(
                HandlerRules.ImpulseFromHandler, call.Syntax.GetLocation(), name, name.Substring(0, name.Length - Suffix.Length)));
        }
    }

    private static void CheckOrder(IForEachLoopOperation loop, ISymbol member, HandlerScope scope)
    {
        IOperation source = loop.Collection is IConversionOperation conversion ? conversion.Operand : loop.Collection;
        ITypeSymbol? collection = source is IPropertyReferenceOperation { Property.Name: "Keys" or "Values", Instance.Type: { } owner }
            ? owner : source.Type;
        string? advice = collection is null ? null : ImmortalTypes.FullName(collection) switch
        {
            "System.Collections.Generic.Dictionary" or "System.Collections.Generic.IDictionary"
                or "System.Collections.Generic.IReadOnlyDictionary"
                or "System.Collections.Concurrent.ConcurrentDictionary" => "a DurableDictionary",
            "System.Collections.Generic.HashSet" or "System.Collections.Generic.ISet" or "System.Collections.Generic.IReadOnlySet" =>
                "a DurableSet",
            _ => null,
        };
        if (advice is not null && loop.Body.Descendants()
            .Any(static o => o is IInvocationOperation call && ImmortalTypes.IsProxy(call.TargetMethod.ContainingType)))
        {
            scope.Add(member, Diagnostic.Create(HandlerRules.UnorderedSend, loop.Collection.Syntax.GetLocation(), collection!.Name,
                advice));
        }
    }

    private static void AsyncMethods(INamedTypeSymbol type, HandlerScope scope)
    {
        foreach (IMethodSymbol method in type.GetMembers().OfType<IMethodSymbol>().Where(static m => m.IsAsync))
        {
            CheckAsync(method, method.Name, method.Locations[0], method, scope);
        }
    }

    private static void CheckAsync(IMethodSymbol method, string label, Location at, ISymbol member, HandlerScope scope)
    {
        if (!ImmortalTypes.IsDurableTask(method.ReturnType))
        {
            scope.Add(member, Diagnostic.Create(
                HandlerRules.AsyncWithoutDurableTask, at, label,
                method.ReturnType.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat)));
        }
    }
}
