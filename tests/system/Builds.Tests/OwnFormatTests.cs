using Ambrosia.Builds.Tests.Support;

namespace Ambrosia.Builds.Tests;

/// <summary>
/// Bytes that OnSave wrote are known to nobody but OnSave and OnRestore. Where one of the two is another than it was, the build that loads
/// them may take them for something else (docs/guide/builds.md, "Beside the fields").
/// </summary>
public sealed class OwnFormatTests : IDisposable
{
    private const string Saves = "private List<Line> _lines = new();";
    private const string Halves = """
        private List<Line> _lines = new();
            [NotSaved] private int _own = 7;
            protected override void OnSave(System.Buffers.IBufferWriter<byte> output)
            {
                System.Buffers.Binary.BinaryPrimitives.WriteInt32LittleEndian(output.GetSpan(4), _own + 1);
                output.Advance(4);
            }

            protected override void OnRestore(System.Buffers.ReadOnlySequence<byte> saved)
            {
                if (saved.Length >= 4) { _own = System.Buffers.Binary.BinaryPrimitives.ReadInt32LittleEndian(saved.FirstSpan) - 1; }
            }
        """;

    private readonly Workshop _shops = new();

    public static TheoryData<string, string> Edits => new()
    {
        { "WriteInt32LittleEndian(output.GetSpan(4), _own + 1)", "WriteInt32LittleEndian(output.GetSpan(4), _own + 2)" },
        { "ReadInt32LittleEndian(saved.FirstSpan) - 1", "ReadInt32LittleEndian(saved.FirstSpan) - 2" },
        { "{ _own = System", "{ throw new System.IO.InvalidDataException(); _own = System" },
    };

    private static string First => Own(Source.Text).Replace(Saves, Halves, StringComparison.Ordinal);

    private static string Without => Source.Replace(Own(Source.Text), (Saves, Saves + " [NotSaved] private int _own = 7;"));

    [Theory]
    [MemberData(nameof(Edits))]
    public void A_change_of_either_half_is_refused_forwards_and_backwards_and_can_be_accepted(string old, string edited)
    {
        string first = _shops.Compile(First, "first");
        string second = _shops.Compile(Source.Replace(First, (old, edited)), "second");
        RequireRefused(first, second, "there");
        if (!edited.Contains("throw", StringComparison.Ordinal)) // That one cannot serve at all.
        {
            RequireRefused(second, first, "back");
        }
    }

    [Fact]
    public void Bytes_that_nothing_reads_any_more_are_lost()
    {
        string first = _shops.Compile(First, "first");
        RequireRefused(first, _shops.Compile(Without, "second"), "gone");
    }

    [Fact]
    public void What_reads_bytes_where_none_were_written_goes_on()
    {
        string folder = Log(_shops.Compile(Without, "without"), "new");
        using var shop = new ShopProcess(_shops.Compile(First, "first"), folder);
        Assert.True(shop.Until("primary") is not null, shop.Output);
        Assert.Contains("own=7 ", shop.State(), StringComparison.Ordinal);
    }

    [Fact]
    public void The_same_halves_go_on_with_their_bytes_when_another_handler_changed()
    {
        string folder = Log(_shops.Compile(First, "first"), "same");
        using var shop = new ShopProcess(_shops.Compile(Source.Replace(First, ("return amount;", "return 2 * amount;")), "second"), folder);
        Assert.True(shop.Until("primary") is not null, shop.Output);
        Assert.Contains("own=7 ", shop.State(), StringComparison.Ordinal);
    }

    public void Dispose() => _shops.Dispose();

    private static string Own(string text) => text.Replace("$\"count=", "$\"own={_own} count=", StringComparison.Ordinal);

    private void RequireRefused(string writer, string reader, string name)
    {
        string folder = Log(writer, name);
        using var refused = new ShopProcess(reader, folder);
        Assert.True(refused.Until("primary") is null, refused.Output);
        Assert.Equal((int)AppExitCode.BuildRefused, refused.ExitCode);
        Assert.Contains("OnSave wrote beside the fields was written by other code", refused.Output, StringComparison.Ordinal);
        Assert.Contains("IC-5005", refused.Output, StringComparison.Ordinal);
        using (var same = new ShopProcess(writer, folder)) // It still runs on it.
        {
            Assert.True(same.Until("primary") is not null, same.Output);
        }

        string word = refused.Output.Split("--accept ")[1][..6];
        using var accepted = new ShopProcess(reader, folder, word);
        bool throws = accepted.Until("primary") is null;
        Assert.True(!throws || accepted.Output.Contains("InvalidDataException", StringComparison.Ordinal), accepted.Output);
    }

    private string Log(string build, string name)
    {
        _shops.Log(name, build, saves: true, static shop => shop.Call("Add", "1"));
        return Path.Combine(_shops.Folder, name);
    }
}
