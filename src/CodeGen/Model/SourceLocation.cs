using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Text;

namespace Ambrosia.CodeGen.Model;

/// <summary>A place in a source file, without the symbols and trees that would keep a whole compilation in memory.</summary>
public sealed record SourceLocation(string Path, TextSpan Span, LinePositionSpan Lines)
{
    /// <summary>The place of a symbol's name, or null if it is not in source.</summary>
    public static SourceLocation? Of(ISymbol symbol) =>
        symbol.Locations.FirstOrDefault(location => location.IsInSource) is { } found ? Of(found) : null;

    /// <summary>The same place.</summary>
    public static SourceLocation Of(Location location) =>
        new(location.GetLineSpan().Path, location.SourceSpan, location.GetLineSpan().Span);

    /// <summary>The place as the compiler wants it.</summary>
    public Location ToLocation() => Location.Create(Path, Span, Lines);
}
