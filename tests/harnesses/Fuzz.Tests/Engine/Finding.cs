namespace Ambrosia.Fuzz.Tests.Engine;

/// <summary>An input for which a parser broke a property.</summary>
internal sealed record Finding(string Target, byte[] Input, string What)
{
    public override string ToString() =>
        $"{Target}: {What}\n  input: {Corpus.Print(Input)}\n  repeat with: AMBROSIA_FUZZ_INPUT='{Target}:{Corpus.Print(Input)}' dotnet "
        + $"test tests/harnesses/Fuzz.Tests -c Release --filter One_input_by_hand";
}
