using Ambrosia.Inspection.Search;


namespace Ambrosia.ImmortalCoordinator.Tests.Page;

public sealed class ArgumentSearchTests
{
    // ["Card c17", 60, -3, 1000, 2.5, {"n": 70000}] in MessagePack.
    private static readonly byte[] s_arguments =
    [
        0x96, 0xa8, .. "Card c17"u8, 60, 0xfd, 0xcd, 0x03, 0xe8, 0xcb, 0x40, 0x04, 0, 0, 0, 0, 0, 0, 0x81, 0xa1, (byte)'n', 0xce, 0, 1,
        0x11, 0x70,
    ];

    [Theory]
    [InlineData("c17")]
    [InlineData("CARD C")]
    [InlineData("60")]
    [InlineData("-3")]
    [InlineData("1000")]
    [InlineData("2.5")]
    [InlineData("70000")]
    public void What_the_arguments_hold_is_found(string text) => Assert.True(new ArgumentSearch(text).IsIn(s_arguments));

    [Theory]
    [InlineData("c18")]
    [InlineData("6")]
    [InlineData("7000")]
    [InlineData("card  c")]
    public void What_they_do_not_hold_is_not(string text) => Assert.False(new ArgumentSearch(text).IsIn(s_arguments));

    [Theory]
    [InlineData("60")]
    [InlineData("token")]
    public void What_a_binding_put_behind_the_arguments_is_no_argument(string text)
    {
        byte[] arguments = [0x92, 0xa3, .. "c20"u8, 1];
        byte[] behind = [0x65, 0x83, 60, .. "token"u8];

        Assert.False(new ArgumentSearch(text).IsIn([.. arguments, .. behind]));
        Assert.True(new ArgumentSearch("1").IsIn([.. arguments, .. behind]));
    }

    [Fact]
    public void Bytes_that_are_no_MessagePack_are_searched_to_their_end_and_not_beyond()
    {
        var random = new Random(20260101);
        var search = new ArgumentSearch("12345");
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = new byte[random.Next(40)];
            random.NextBytes(bytes);
            search.IsIn(bytes);
        }

        Assert.True(search.IsIn("\xffabc12345"u8.ToArray()));
        Assert.False(search.IsIn([0xdb, 0xff, 0xff, 0xff, 0xff]));
    }
}
