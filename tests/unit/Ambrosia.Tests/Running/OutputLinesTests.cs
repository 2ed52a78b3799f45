using Ambrosia.Cli.Running;

namespace Ambrosia.Cli.Tests.Running;

/// <summary>What the processes of <c>ambrosia run</c> write, line by line.</summary>
public sealed class OutputLinesTests
{
    private readonly List<string> _passed = [];

    [Theory]
    [InlineData("", "")]
    [InlineData("a", "a")]
    [InlineData("a\n", "a")]
    [InlineData("a\nb", "a|b")]
    [InlineData("a\r\nb\r\n", "a|b")]
    [InlineData("10 %\r20 %\rdone\n", "10 %|20 %|done")]
    [InlineData("\n\na\n", "||a")]
    [InlineData("a\r\n\r\nb", "a||b")]
    public async Task Lines_are_passed_on_however_they_end(string text, string expected)
    {
        await OutputLines.PassAsync(new StringReader(text), _passed.Add);
        Assert.Equal(expected, string.Join('|', _passed));
        _passed.Clear();
        await OutputLines.PassAsync(new Drops(text), _passed.Add);
        Assert.Equal(expected, string.Join('|', _passed));
    }

    [Theory]
    [InlineData(OutputLines.Longest - 1, 1)]
    [InlineData(OutputLines.Longest, 1)]
    [InlineData(OutputLines.Longest + 1, 2)]
    [InlineData((100 * OutputLines.Longest) + 7, 101)]
    public async Task A_line_that_does_not_end_is_passed_on_in_pieces(int length, int pieces)
    {
        await OutputLines.PassAsync(new StringReader(new string('x', length) + "\nnext\n"), _passed.Add);
        Assert.Equal("next", _passed[^1]);
        Assert.Equal(length, _passed.SkipLast(1).Sum(static piece => piece.Length));
        Assert.InRange(_passed.Count - 1, pieces, pieces + 1); // The last one may be empty.
        Assert.All(_passed, static piece => Assert.InRange(piece.Length, 0, OutputLines.Longest));
    }

    [Fact]
    public async Task No_piece_ends_within_a_character()
    {
        string text = new string('x', OutputLines.Longest - 1) + "😀" + new string('y', OutputLines.Longest);
        await OutputLines.PassAsync(new StringReader(text), _passed.Add);
        Assert.Equal(text, string.Concat(_passed));
        Assert.All(_passed, static piece => Assert.False(char.IsHighSurrogate(piece[^1])));
    }

    // Gives one character at a time.
    private sealed class Drops(string text) : StringReader(text)
    {
        public override ValueTask<int> ReadAsync(Memory<char> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..1], cancellationToken);
    }
}
