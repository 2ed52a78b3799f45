using Ambrosia.Coordinator.Transport;
using Ambrosia.Coordinator.Transport.Sockets;
using Ambrosia.CoordinatorHost.Places;
using Ambrosia.ImmortalCoordinator.Tests.Support;
using Ambrosia.Primitives.Sockets;

namespace Ambrosia.ImmortalCoordinator.Tests.Hosting;

/// <summary>A reader of these files shows a token to the address that it finds.</summary>
public sealed class ServingFolderTests : IDisposable
{
    private readonly TemporaryFolder _home = new();

    private string Folder => _home["serving"];

    public void Dispose() => _home.Dispose();

    [Fact]
    public void What_a_process_that_runs_has_noted_is_found()
    {
        ServingEntry entry = Entry();
        string path = new ServingFolder(Folder).Write(entry)!;
        Assert.Equal(entry, Assert.Single(new ServingFolder(Folder).Read()));
        Assert.Equal(UnixFileMode.UserRead | UnixFileMode.UserWrite, File.GetUnixFileMode(path));
        ServingEntry replica = entry with { Replica = 2, TokenFile = "", Admin = EndPointName.Unix("/run/with space.admin") };
        Assert.Equal(replica, ServingEntry.Parse(replica.Text));
    }

    [Fact]
    public void Instances_of_one_name_in_two_stores_that_one_process_serves_are_both_found()
    {
        new ServingFolder(Folder).Write(Entry());
        new ServingFolder(Folder).Write(Entry() with { Store = "file:/other" });
        IEnumerable<string> stores = new ServingFolder(Folder).Read().Select(static entry => entry.Store);
        Assert.Equal(["file:/other", "file:/store"], stores.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void What_a_process_noted_that_has_ended_is_not_found_though_its_number_is_in_use_again_and_goes_with_the_next_note()
    {
        string old = new ServingFolder(Folder).Write(Entry() with { Process = $"pid {Environment.ProcessId} started 1" })!;
        Assert.Empty(new ServingFolder(Folder).Read());
        new ServingFolder(Folder).Write(Entry() with { Instance = "other" });
        Assert.False(File.Exists(old));
        Assert.Equal("other", Assert.Single(new ServingFolder(Folder).Read()).Instance);
    }

    [Fact]
    public void What_a_process_of_another_boot_or_container_noted_is_not_found_and_stays()
    {
        string far = new ServingFolder(Folder).Write(Entry() with { Instance = "far", Machine = "another-boot pid:[1]" })!;
        new ServingFolder(Folder).Write(Entry());
        Assert.Equal("bank", Assert.Single(new ServingFolder(Folder).Read()).Instance);
        Assert.True(File.Exists(far));
    }

    [Fact]
    public void What_another_user_may_have_written_is_not_found()
    {
        string path = new ServingFolder(Folder).Write(Entry())!;
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupWrite);
        Assert.Empty(new ServingFolder(Folder).Read());
        File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
        Assert.Single(new ServingFolder(Folder).Read());

        File.WriteAllText(_home["elsewhere"], Entry().Text);
        File.Delete(path);
        File.CreateSymbolicLink(path, _home["elsewhere"]);
        Assert.Empty(new ServingFolder(Folder).Read());
        File.Delete(path);
        Assert.NotNull(new ServingFolder(Folder).Write(Entry()));

        File.SetUnixFileMode(Folder, File.GetUnixFileMode(Folder) | UnixFileMode.OtherWrite);
        Assert.Empty(new ServingFolder(Folder).Read());
        Assert.Throws<IOException>(() => new ServingFolder(Folder).Write(Entry()));
    }

    [Fact] // Root's own would count for everybody: there the file is given away.
    public void What_another_user_has_written_is_not_found()
    {
        string path = new ServingFolder(Folder).Write(Entry())!;
        uint own = SocketCalls.EffectiveUser();
        if (own == 0)
        {
            Assert.Equal(0, Posix.ChangeOwner(path, 12345, Posix.SameOwner));
            Assert.Empty(new ServingFolder(Folder).Read());
            return;
        }

        Assert.Empty(new ServingFolder(Folder, own + 1).Read());
    }

    [Theory]
    [InlineData("")]
    [InlineData("nonsense")]
    [InlineData("instance bank\nadmin http://evil\n")]
    [InlineData("instance ../up\nadmin unix:/run/a\n")]
    public void A_file_that_is_no_note_is_ignored(string text)
    {
        string path = new ServingFolder(Folder).Write(Entry())!;
        File.WriteAllText(path, text);
        Assert.Empty(new ServingFolder(Folder).Read());
    }

    private static ServingEntry Entry()
    {
        Assert.True(EndPointName.TryParse("127.0.0.1:4711", out EndPointName? admin, out _));
        return new ServingEntry("bank", "file:/store", null, admin, "/home/tokens/bank", NamedProcess.Current, NamedProcess.Machine);
    }
}
