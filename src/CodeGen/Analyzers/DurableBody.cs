using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace Ambrosia.CodeGen.Analyzers;

/// <summary>Finds the asynchronous body, of a method, lambda or local function, that an operation is part of.</summary>
internal static class DurableBody
{
    /// <summary>Whether the operation is in a body that returns a durable task and is asynchronous.</summary>
    public static bool Contains(IOperation operation, out IOperation? body)
    {
        body = operation;
        for (IOperation? walk = operation.Parent; walk is not null; walk = walk.Parent)
        {
            switch (walk)
            {
                case IAnonymousFunctionOperation lambda:
                    body = lambda.Body;
                    return IsDurable(lambda.Symbol);
                case ILocalFunctionOperation local:
                    body = local.Body;
                    return IsDurable(local.Symbol);
            }

            body = walk;
        }

        return operation.SemanticModel?.GetEnclosingSymbol(operation.Syntax.SpanStart) is IMethodSymbol method && IsDurable(method);
    }

    /// <summary>Whether the operation awaits, other than in a function of its own.</summary>
    public static bool Awaits(IOperation? operation) => operation is not null && Awaiting(operation).Any();

    /// <summary>Whether the body awaits after the operation, in the order of the text or in a loop around it.</summary>
    public static bool AwaitsAfter(IOperation body, IOperation operation)
    {
        int after = operation.Syntax.Span.End;
        for (IOperation? walk = operation.Parent; walk is not null && walk != body; walk = walk.Parent)
        {
            if (walk is ILoopOperation && Awaits(walk))
            {
                return true;
            }
        }

        // An await in the initializer itself ends before the variable has a value.
        return Awaiting(body).Any(a => a.Syntax.SpanStart >= after);
    }

    private static bool IsDurable(IMethodSymbol method) => method.IsAsync && ImmortalTypes.IsDurableTask(method.ReturnType);

    private static IEnumerable<IOperation> Awaiting(IOperation operation)
    {
        if (operation is IAwaitOperation or IForEachLoopOperation { IsAsynchronous: true } or IUsingOperation { IsAsynchronous: true }
            or IUsingDeclarationOperation { IsAsynchronous: true })
        {
            yield return operation;
        }

        foreach (IOperation child in operation.ChildOperations)
        {
            if (child is IAnonymousFunctionOperation or ILocalFunctionOperation)
            {
                continue;
            }

            foreach (IOperation found in Awaiting(child))
            {
                yield return found;
            }
        }
    }
}
