using Ambrosia.CodeGen.Model;
using Microsoft.CodeAnalysis;

namespace Ambrosia.CodeGen.Extract;

/// <summary>Gathers what is wrong with one interface; each finding once.</summary>
internal sealed class DiagnosticSink
{
    private readonly List<DiagnosticInfo> _found = [];

    /// <summary>Whether nothing may be generated.</summary>
    public bool HasErrors => _found.Exists(static d => d.Rule.DefaultSeverity == DiagnosticSeverity.Error);

    public void Report(DiagnosticDescriptor rule, SourceLocation? location, params string[] arguments)
    {
        DiagnosticInfo info = new(rule, location, arguments.ToEquatableArray());
        if (!_found.Contains(info))
        {
            _found.Add(info);
        }
    }

    public EquatableArray<DiagnosticInfo> ToArray() => _found.ToEquatableArray();
}
