using Ambrosia.Architecture.Tests.Symbols;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace Ambrosia.Architecture.Tests;

/// <summary>States are enums and kinds of failure are types: a text that is compared is a state that no compiler checks.</summary>
public sealed class SteeringTextsTests
{
    // Texts are what these read: words of people, addresses and URIs, source code, names of the platform, codes of databases, words that
    // a service keeps beside a blob, names of leases as stores keep them.
    private static readonly string[] s_readers =
    [
        "src/Ambrosia/", "src/CodeGen/", "src/CodeGen.Fixes/", "src/CodeGen.Tool/", "src/TimeTravel/Text/", "src/TimeTravel/Search/",
        "src/CoordinatorHost/Admin/", "src/CoordinatorHost/Ingress/IdempotencyKey.cs", "src/CoordinatorHost/Ingress/IngressEndpoints.cs",
        "src/CoordinatorHost/Ingress/IngressTokens.cs", "src/CoordinatorHost/Gateway/",
        "src/CoordinatorHost/Ingress/GrpcEndpoint.cs", "src/Client/AmbrosiaClientOptions.cs", "src/Client/CallTries.cs",
        "src/Client/AwakeableReply.cs", "src/Client/AwakeableSender.cs",
        "src/CoordinatorHost/Ingress/IngressRequest.cs", "src/CoordinatorHost/Shapes/JsonEncoder.cs",
        "src/CoordinatorHost/Shapes/ScalarEncoder.cs", "src/CoordinatorHost/Protobuf/JsonToProto.cs",
        "src/CoordinatorHost/Ingress/ReflectionEndpoint.cs",
        "src/CoordinatorHost/Logging/", "src/CoordinatorHost/Options/", "src/CoordinatorHost/Page/", "src/CoordinatorHost/Places/",
        "src/CoordinatorHost/Metrics/DiskFigures.cs", "src/CoordinatorHost/Metrics/MetricsCollector.cs",
        "src/CoordinatorHost/Metrics/PrometheusText.cs",
        "src/CoordinatorHost/KnownStores.cs", "src/CoordinatorHost/PeerTransport.cs",
        "src/ImmortalCoordinator/Program.cs", "src/ImmortalCoordinator/CoordinatorProcess.cs",
        "src/Inspection/Text/MethodNames.cs", "src/Coordinator/Transport/", "src/Coordinator/Settings/",
        "src/LogStore/Catalog/CatalogReplica.cs",
        "src/LogStore/Stores/Catalogs.cs", "src/LogStore/Stores/LogStores.cs", "src/LogStore/Leases/", "src/LogStore/Files/",
        "src/LogStore/Storage/NamedLeases.cs", "src/LogStore.Azure/BlobCheckpoint.cs",
        "src/LogStore.Azure/Azure", "src/LogStore.Postgres/PostgresAddress.cs", "src/LogStore.Postgres/PostgresDatabase.cs",
        "src/LogStore.Postgres/PostgresTables.cs",
        "src/CSharpBinding/Builds/", "src/CSharpBinding/Hosting/Option", "src/CSharpBinding/Effects/RetryOverrides.cs",
        "src/CSharpBinding/State/Format/ContinuationIdentity.cs", "src/CSharpBinding/State/Format/GeneratedName.cs",
        "src/CSharpBinding/State/Codecs/KnownTypes.cs",
        "src/CSharpBinding/State/Plans/KnownPlans.cs",
        "src/CSharpBinding/State/StateJson.cs", "src/CSharpBinding/State/StateSelfCheck.cs", "src/CSharpBinding/State/Format/TypeNames.cs",
        "src/CSharpBinding/Hosting/EffectUses.cs", "src/CSharpBinding/Hosting/ImmortalHost.cs", "src/LogStore/Stores/LogView.cs",
        "src/Coordinator/Serving/CoreEnvironment.cs", "src/TimeTravel/Debugging/StateDifference.cs", "src/TimeTravel/Log/ReplayLog.cs",
    ];

    [Fact]
    public void No_text_steers_what_happens() => new Debt("steering-texts").RequireOnly(
        SourceProject.All.SelectMany(static project => Comparisons(project, project.Files.Where(static file => !Reads(file.FilePath)))),
        "Make it an enum, or a type.");

    [Theory]
    [InlineData("class A { bool B(string s) => s == \"x\"; }", 1)]
    [InlineData("class A { const string X = \"x\"; bool B(string s) => X != s; }", 1)]
    [InlineData("class A { bool B(string s) => s is \"x\" or \"y\"; }", 2)]
    [InlineData("class A { int B(string s) => s switch { \"x\" => 1, _ => 2 }; }", 1)]
    [InlineData("class A { int B(string s) { switch (s) { case \"x\": return 1; default: return 2; } } }", 1)]
    [InlineData("class A { bool B(string s, string t) => s == t || s == \"\"; }", 0)]
    [InlineData("class A { bool B(char c) => c == 'x'; }", 0)]
    public void The_rule_sees_what_it_should(string text, int found) =>
        Assert.Equal(found, All(SourceProject.Of(("A.cs", text))).Count());

    private static IEnumerable<(string Line, string At)> All(SourceProject project) => Comparisons(project, project.Files);

    private static bool Reads(string path) => s_readers.Any(reader => path.StartsWith(reader, StringComparison.Ordinal));

    private static IEnumerable<(string Line, string At)> Comparisons(SourceProject project, IEnumerable<SyntaxTree> files) =>
        from file in files
        let model = project.Compilation.GetSemanticModel(file)
        from node in file.GetRoot().DescendantNodes()
        let text = Compared(node).Select(side => model.GetConstantValue(side))
        .FirstOrDefault(static value => value.Value is string { Length: > 0 })
        where text.HasValue
        select (file.FilePath, $"{file.FilePath}:{node.GetLocation().GetLineSpan().StartLinePosition.Line + 1}: {text.Value}");

    private static IEnumerable<ExpressionSyntax> Compared(SyntaxNode node) => node switch
    {
        BinaryExpressionSyntax { RawKind: (int)SyntaxKind.EqualsExpression or (int)SyntaxKind.NotEqualsExpression } binary
            when !IsOtherLiteral(binary.Left) && !IsOtherLiteral(binary.Right) => [binary.Left, binary.Right],
        ConstantPatternSyntax pattern when !IsOtherLiteral(pattern.Expression) => [pattern.Expression],
        CaseSwitchLabelSyntax label when !IsOtherLiteral(label.Value) => [label.Value],
        _ => [],
    };

    // A number, a character, null: nothing is bound to learn that.
    private static bool IsOtherLiteral(ExpressionSyntax side) =>
        side is LiteralExpressionSyntax && !side.IsKind(SyntaxKind.StringLiteralExpression);
}
