namespace Ambrosia.Architecture.Tests;

/// <summary>What counts as a sentence, and how long it is.</summary>
public sealed class SentencesTests
{
    [Theory]
    [InlineData("One. Two. Three.", "One.|Two.|Three.")]
    [InlineData("One goes\non here. Two.", "One goes on here.|Two.")]
    [InlineData("A colon: goes on; as a semicolon does.", "A colon: goes on; as a semicolon does.")]
    [InlineData("It lasts 1.5 s, i.e. Not long, e.g. `x.y`. Then (it ends.) And **so.** Again",
        "It lasts 1.5 s, i.e. Not long, e.g. CODE.|Then (it ends.)|And **so.**|Again")]
    [InlineData("It goes on ... And on. it does", "It goes on ... And on. it does")]
    [InlineData("`a. B` is one. `c` begins one! 3 do, too? Yes.", "CODE is one.|CODE begins one!|3 do, too?|Yes.")]
    [InlineData("See [one. Two](a#b). ![A picture. Of it](p.png) Then.", "See one.|Two.|Then.")]
    [InlineData("It is so. [glossary.md](a#b) says why. [a page](a#b) does not begin one.",
        "It is so.|PAGE says why. a page does not begin one.")]
    [InlineData("# Heading. Of it\nText\n\n## Next", "Text")]
    [InlineData("- An item\n- another one\n  that goes on\n1. a third", "An item|another one that goes on|a third")]
    [InlineData("Before\n\n```sh\nrun it. Now\n```\nafter", "Before|after")]
    [InlineData("- An item\n\n  ```sh\n  run it\n  ```\n\n  goes on", "An item|goes on")]
    [InlineData("Before:\n\n    code. Of four\n    blanks\n\nafter", "Before:|after")]
    [InlineData("| a table. With | cells |\n|---|---|\n| of. Words | more |\n\nafter", "after")]
    [InlineData("Before <!-- a comment. Of\nlines --> after", "Before after")]
    public void A_page_has_these_sentences(string page, string sentences) =>
        Assert.Equal(sentences.Split('|'), Sentences.Of(page).Select(static one => one.Text));

    [Fact]
    public void A_sentence_is_found_at_the_line_of_its_paragraph() =>
        Assert.Equal([2, 4, 5, 9], Sentences.Of("# Title\nOne.\n\n- two\n- three\n```\ncode\n```\nfour").Select(static one => one.Line));

    [Theory]
    [InlineData("Three words here.", 3)]
    [InlineData("It - and this · too – has 8 words.", 7)]
    [InlineData("read-only, `a b c` and [a link of five](x/y#z)", 7)]
    public void Words_are_what_has_letters_or_digits(string page, int words) =>
        Assert.Equal(words, Sentences.Words(Assert.Single(Sentences.Of(page)).Text));
}
