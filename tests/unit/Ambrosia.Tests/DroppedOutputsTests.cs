using System.Buffers.Binary;
using System.Numerics;
using System.Text.Json;
using Ambrosia.Primitives;

namespace Ambrosia.Cli.Tests;

/// <summary><c>ambrosia deadletters dropped</c>.</summary>
public sealed class DroppedOutputsTests : IDisposable
{
    private readonly CommandFixture _command = new();

    public void Dispose() => _command.Dispose();

    [Fact]
    public async Task Without_any_it_says_where_it_has_looked()
    {
        (int code, string output, _) = await _command.RunAsync($"deadletters dropped bank --store {_command.Store}");
        Assert.Equal((0, $"bank has dropped no outputs: there are none in {Path.Combine(_command.FolderOf("bank"), "dropped")}.\n"),
            (code, output));
    }

    [Fact] // There the coordinator keeps them that has no folder of its own.
    public async Task Of_an_instance_in_a_service_they_are_found_in_the_home_folder()
    {
        string folder = Path.Combine(_command.Home, "dropped", "bank");
        await WriteAsync(folder, "shop.b.7.2.dropped", 11);
        JsonElement found = await _command.JsonAsync("deadletters dropped bank --store azblob://account/container");
        JsonElement only = Assert.Single(found.EnumerateArray());
        Assert.Equal("shop.b", only.GetProperty("to").GetString());
        Assert.Equal("7", only.GetProperty("epoch").GetString());
        Assert.Equal(11, only.GetProperty("first").GetInt32());
        Assert.Equal(13, only.GetProperty("last").GetInt32());
        Assert.Equal(3, only.GetProperty("messages").GetInt32());
        Assert.True(only.GetProperty("isWhole").GetBoolean());
    }

    [Fact]
    public async Task What_is_not_one_is_passed_over_and_what_lies_before_damage_is_counted()
    {
        string folder = Path.Combine(_command.FolderOf("bank"), "dropped");
        await WriteAsync(folder, "shop.7.1.dropped", 1);
        string path = Path.Combine(folder, "shop.7.1.dropped");
        await File.WriteAllBytesAsync(path, [.. await File.ReadAllBytesAsync(path), .. await File.ReadAllBytesAsync(path)]);
        await using (FileStream file = File.OpenWrite(path))
        {
            file.Position = file.Length - 1;
            file.WriteByte(0xEE);
        }

        await File.WriteAllTextAsync(Path.Combine(folder, "notes.dropped"), "x");
        await File.WriteAllTextAsync(Path.Combine(folder, "shop.7.2.dropped.tmp"), "x");
        JsonElement found = await _command.JsonAsync($"deadletters dropped bank --store {_command.Store}");
        JsonElement only = Assert.Single(found.EnumerateArray());
        Assert.Equal(3, only.GetProperty("messages").GetInt32());
        Assert.False(only.GetProperty("isWhole").GetBoolean());
        (_, string output, _) = await _command.RunAsync($"deadletters dropped bank --store {_command.Store}");
        Assert.Contains("(damaged", output, StringComparison.Ordinal);
    }

    // One run of three messages, as docs/internals/log-format.md describes it.
    private static async Task WriteAsync(string folder, string name, ulong first)
    {
        byte[] messages = [.. Enumerable.Repeat((byte[])[8, 0, 0, 2, 1], 3).SelectMany(static message => message)];
        byte[] run = new byte[21 + messages.Length];
        BinaryPrimitives.WriteInt32LittleEndian(run.AsSpan(4), messages.Length);
        BinaryPrimitives.WriteUInt64LittleEndian(run.AsSpan(8), first);
        BinaryPrimitives.WriteInt32LittleEndian(run.AsSpan(16), 3);
        messages.CopyTo(run, 21);
        BinaryPrimitives.WriteUInt32LittleEndian(run, ~run.Skip(4).Aggregate(uint.MaxValue, BitOperations.Crc32C));
        Directory.CreateDirectory(folder);
        await File.WriteAllBytesAsync(Path.Combine(folder, name), run);
    }
}
