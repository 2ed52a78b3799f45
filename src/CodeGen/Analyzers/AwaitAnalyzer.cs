using System.Collections.Immutable;
using Ambrosia.CodeGen.Diagnostics;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Checks methods that return durable tasks, wherever they are: what they await, and what is alive meanwhile.</summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class AwaitAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = ImmutableArray.Create(
        AwaitRules.AwaitsNonDurable, AwaitRules.UnsavableLocal, AwaitRules.LostUpdate, AwaitRules.DroppedTask,
        AwaitRules.EnumeratorOverAwait,
        AwaitRules.MutableStruct);

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.EnableConcurrentExecution();
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.RegisterCompilationStartAction(start =>
        {
            if (start.Compilation.GetTypeByMetadataName("Ambrosia.Runtime.IDurableAwaiter") is not { } durable)
            {
                return;
            }

            start.RegisterOperationAction(c => CheckAwait(c, durable), OperationKind.Await);
            start.RegisterOperationAction(CheckCompound, OperationKind.CompoundAssignment);
            start.RegisterOperationAction(CheckDropped, OperationKind.ExpressionStatement);
            start.RegisterOperationAction(CheckLoop, OperationKind.Loop);
            start.RegisterOperationAction(CheckLocal, OperationKind.VariableDeclarator, OperationKind.DeclarationPattern);
            start.RegisterSymbolAction(CheckMethod, SymbolKind.Method);
        });
    }

    private static void CheckAwait(OperationAnalysisContext context, INamedTypeSymbol durable)
    {
        if (context.Operation.Syntax is not AwaitExpressionSyntax syntax || !DurableBody.Contains(context.Operation, out _))
        {
            return;
        }

        ITypeSymbol? awaiter = context.Operation.SemanticModel.GetAwaitExpressionInfo(syntax).GetAwaiterMethod?.ReturnType;
        ITypeSymbol? awaited = ((IAwaitOperation)context.Operation).Operation.Type;
        if (awaiter is null || awaited is null || awaiter.AllInterfaces.Contains(durable, SymbolEqualityComparer.Default)
            || ImmortalTypes.FullName(awaited).StartsWith("System.Runtime.CompilerServices.Configured", StringComparison.Ordinal))
        {
            return; // What is not known is the compiler's to report, and ConfigureAwait has a rule of its own.
        }

        string advice = ImmortalTypes.IsProxy(
            (((IAwaitOperation)context.Operation).Operation as IInvocationOperation)?.TargetMethod.ContainingType)
            ? "handlers send no impulses: use the Async variant"
            : "do it from BecomingPrimary and send what comes of it as an impulse, or make the method return DurableTask";
        context.ReportDiagnostic(Diagnostic.Create(
            AwaitRules.AwaitsNonDurable, syntax.GetLocation(), awaited.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat),
            advice));
    }

    private static void CheckCompound(OperationAnalysisContext context)
    {
        ICompoundAssignmentOperation assignment = (ICompoundAssignmentOperation)context.Operation;
        bool isShared = assignment.Target is IFieldReferenceOperation or IPropertyReferenceOperation or IArrayElementReferenceOperation;
        if (isShared && DurableBody.Contains(assignment, out _) && DurableBody.Awaits(assignment.Value))
        {
            context.ReportDiagnostic(Diagnostic.Create(
                AwaitRules.LostUpdate, assignment.Syntax.GetLocation(), assignment.Target.Syntax.ToString()));
        }
    }

    private static void CheckDropped(OperationAnalysisContext context)
    {
        IOperation dropped = ((IExpressionStatementOperation)context.Operation).Operation;
        if (dropped is not IInvocationOperation call || !ImmortalTypes.IsDurableTask(call.Type))
        {
            return;
        }

        string name = call.TargetMethod.Name;
        string sibling = name.EndsWith("Async", StringComparison.Ordinal) ? name.Substring(0, name.Length - 5) + "Fork" : "";
        bool hasFork = sibling.Length > 0 && call.TargetMethod.ContainingType.GetMembers(sibling).Any();
        string fork = hasFork ? $", or {(ImmortalTypes.IsProxy(call.TargetMethod.ContainingType) ? "send" : "ask for")} it without "
            + $"waiting with {sibling}" : "";
        context.ReportDiagnostic(Diagnostic.Create(AwaitRules.DroppedTask, call.Syntax.GetLocation(), call.TargetMethod.Name, fork));
    }

    private static void CheckLoop(OperationAnalysisContext context)
    {
        if (context.Operation is not IForEachLoopOperation loop || !DurableBody.Contains(loop, out _) || !DurableBody.Awaits(loop.Body))
        {
            return;
        }

        IOperation source = loop.Collection is IConversionOperation conversion ? conversion.Operand : loop.Collection;
        if (source.Type is not { } type || type is IArrayTypeSymbol || type.SpecialType == SpecialType.System_String)
        {
            return;
        }

        // Enumerators of the user's own and of the runtime's types are saved by their fields.
        string space = type.ContainingNamespace?.ToDisplayString() ?? "";
        if (space == "System" || space.StartsWith("System.", StringComparison.Ordinal))
        {
            context.ReportDiagnostic(Diagnostic.Create(
                AwaitRules.EnumeratorOverAwait, loop.Collection.Syntax.GetLocation(),
                $"a {type.ToDisplayString(SymbolDisplayFormat.MinimallyQualifiedFormat)}", loop.Collection.Syntax.ToString()));
        }
    }

    private static void CheckLocal(OperationAnalysisContext context)
    {
        ILocalSymbol? local = context.Operation switch
        {
            IVariableDeclaratorOperation declarator => declarator.Symbol,
            IDeclarationPatternOperation pattern => pattern.DeclaredSymbol as ILocalSymbol,
            _ => null,
        };
        if (local is null || !DurableBody.Contains(context.Operation, out IOperation? body)
            || !DurableBody.AwaitsAfter(body!, context.Operation))
        {
            return;
        }

        string? reason = Savability.Reason(local.Type) ?? Query(context.Operation as IVariableDeclaratorOperation);
        if (reason is not null)
        {
            context.ReportDiagnostic(Diagnostic.Create(AwaitRules.UnsavableLocal, local.Locations[0], local.Name, reason));
        }
    }

    private static string? Query(IVariableDeclaratorOperation? declarator)
    {
        IOperation? value = declarator?.GetVariableInitializer()?.Value;
        while (value is IConversionOperation conversion)
        {
            value = conversion.Operand;
        }

        bool isQuery = value is ITranslatedQueryOperation
            || (value is IInvocationOperation call && ImmortalTypes.FullName(call.TargetMethod.ContainingType) == "System.Linq.Enumerable"
                && call.Type?.Name is "IEnumerable" or "IOrderedEnumerable");
        return isQuery ? "it is a query, which holds code and a position; add .ToArray()" : null;
    }

    private static void CheckMethod(SymbolAnalysisContext context)
    {
        IMethodSymbol method = (IMethodSymbol)context.Symbol;
        if (!method.IsAsync || !ImmortalTypes.IsDurableTask(method.ReturnType))
        {
            return;
        }

        foreach (IParameterSymbol parameter in method.Parameters)
        {
            if (Savability.Reason(parameter.Type) is { } reason)
            {
                context.ReportDiagnostic(Diagnostic.Create(AwaitRules.UnsavableLocal, parameter.Locations[0], parameter.Name, reason));
            }
        }

        if (method.ContainingType is { TypeKind: TypeKind.Struct, IsReadOnly: false } && !method.IsStatic)
        {
            context.ReportDiagnostic(Diagnostic.Create(AwaitRules.MutableStruct, method.Locations[0], method.Name));
        }
    }
}
