using Ambrosia.LogStore.Files.Posix;
using Ambrosia.LogStore.Settings;
using Ambrosia.LogStore.Storage;
using Ambrosia.LogStore.Stores;

namespace Ambrosia.LogStore.Tests;

/// <summary>
/// A folder's name lies in its parent. Until that is synced, a power cut takes the folder away, and with it all that was synced in it.
/// </summary>
public sealed class FolderNamesTests : IDisposable
{
    private readonly string _root = Directory.CreateTempSubdirectory("ambrosia-names-").FullName;
    private readonly List<string> _synced = [];

    private string Store => Path.Combine(_root, "store");

    private string Instance => Path.Combine(Store, "bank");

    public void Dispose() => Directory.Delete(_root, recursive: true);

    [Fact]
    public async Task Each_new_folder_has_its_name_synced_before_the_next_is_made_in_it()
    {
        var made = new List<(string Synced, bool NextIsThere)>();
        var files = new PosixFileSystem
        {
            FolderSynced = folder =>
                made.Add((folder, folder == _root ? Directory.Exists(Instance) : Directory.Exists(Path.Combine(Instance, "log")))),
        };
        await files.CreateFolderAsync(Path.Combine(Instance, "log"));
        // The store's name, and the instance was not there yet.
        Assert.Equal((_root, false), made.FirstOrDefault(entry => entry.Synced == _root));
        Assert.Equal((Store, false), made.FirstOrDefault(entry => entry.Synced == Store));
        Assert.Contains(Instance, made.Select(static entry => entry.Synced));
    }

    [Fact]
    public async Task A_folder_that_a_killed_predecessor_has_made_has_its_name_synced_too()
    {
        await new PosixFileSystem().CreateFolderAsync(Instance); // And it died: nobody knows what it has synced.
        await Recording().CreateFolderAsync(Instance);
        Assert.Contains(Store, _synced);
        Assert.Contains(_root, _synced);
    }

    [Fact]
    public async Task What_is_known_to_be_durable_is_not_synced_again_until_the_folder_was_removed()
    {
        PosixFileSystem files = Recording();
        await files.CreateFolderAsync(Instance);
        _synced.Clear();
        await files.CreateFolderAsync(Instance);
        Assert.Empty(_synced);
        Assert.True(await files.DeleteFolderAsync(Instance));
        await files.CreateFolderAsync(Instance);
        Assert.Contains(Store, _synced);
    }

    [Fact]
    public async Task A_new_instance_on_files_has_all_its_names_synced_before_it_is_said_to_be_there()
    {
        var environment = new LogStoreEnvironment { Files = Recording() };
        await using WriteAheadLog log = await LogStores.OpenLogAsync($"file:{Store}", "bank", new LogStoreOptions(), environment);
        await using ILogLease lease = await log.AcquireAsync(default);
        await log.BecomeWriterAsync(lease);
        foreach (string parent in (string[])[_root, Store, Instance])
        {
            Assert.Contains(parent, _synced);
        }
    }

    private PosixFileSystem Recording() => new() { FolderSynced = _synced.Add };
}
